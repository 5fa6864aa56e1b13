/** `./scripts/up`: the main program. Exit codes: 0 stopped normally, 1 failed, 2 wrong command line. */
import path from 'node:path'
import { onAbort } from '@phonerack/shared'
import { parseUpArgs, upUsage, UsageError, type UpOptions } from './up/args.js'
import { isDetachedChild, runDetached, tellParent } from './up/detach.js'
import { explain } from './up/explain.js'
import { Steps } from './up/progress.js'
import { startSystem } from './up/run.js'

const root = path.resolve(import.meta.dirname, '..', '..')

function readOptions(): UpOptions | null {
  try {
    return parseUpArgs(process.argv.slice(2), root, process.env)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`up: ${error.message}\nSee ./scripts/up --help\n`)
    process.exit(2)
  }
}

const options = readOptions()
if (!options) {
  process.stdout.write(upUsage)
} else if (options.detach && !isDetachedChild()) {
  process.exitCode = await runDetached(options)
} else {
  process.exitCode = await runHere(options)
}

async function runHere(options: UpOptions): Promise<number> {
  const detached = isDetachedChild()
  const write = (text: string) => {
    if (detached) tellParent({ kind: 'text', text })
    process.stdout.write(text)
  }
  const steps = new Steps({ write, live: !detached && process.stdout.isTTY })
  const asked = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => asked.abort(new Error(name)))
  let system
  try {
    system = await startSystem(root, options, steps, asked.signal)
  } catch (error) {
    if (asked.signal.aborted) return 130
    write(explain(error))
    tellParent({ kind: 'failed' })
    return 1
  }
  write(system.welcome)
  tellParent({ kind: 'ready' })
  await new Promise<void>((resolve) => onAbort(asked.signal, resolve))
  if (!detached) process.stdout.write('\nStopping …\n')
  const errors = await system.stop()
  for (const error of errors)
    process.stderr.write(`up: ${error instanceof Error ? error.message : String(error)}\n`)
  return errors.length === 0 ? 0 : 1
}
