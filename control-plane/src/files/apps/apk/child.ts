/**
 * The process that reads one APK. Its argument is the path, and its output is one line of JSON. Started by
 * `inspect.ts`.
 */
import { InvalidApk, type Verdict } from './facts.js'
import { readApk } from './read-apk.js'

async function judge(path: string): Promise<Verdict> {
  try {
    return { facts: await readApk(path) }
  } catch (error) {
    if (error instanceof InvalidApk) return { invalid: error.message }
    throw error
  }
}

process.stdout.write(JSON.stringify(await judge(process.argv[2] ?? '')))
