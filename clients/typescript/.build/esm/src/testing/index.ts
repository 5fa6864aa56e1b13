/** `@phonerack/sdk/testing`: Phonerack with virtual phones for the tests of an agent. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Phonerack } from '../phonerack.js'

export interface StartOptions {
  /** A checkout of Phonerack. Not needed with PHONERACK_BASE_URL and PHONERACK_API_KEY. */
  directory?: string
  /** Virtual phones. Default: 2. */
  phones?: number
  /** Milliseconds until it is ready. Default: 300,000, since the first start installs packages. */
  timeout?: number
}

export interface RunningPhonerack extends AsyncDisposable {
  client: Phonerack
  baseUrl: string
  apiKey: string
  /** Stops what `startPhonerack` started. `await using` calls it. */
  stop(): Promise<void>
}

/** Starts `scripts/up` of a checkout with a separate data folder and port, or uses the running service of the environment. */
export async function startPhonerack(options: StartOptions = {}): Promise<RunningPhonerack> {
  const { PHONERACK_BASE_URL: baseUrl, PHONERACK_API_KEY: apiKey } = process.env
  if (baseUrl && apiKey) return running(baseUrl, apiKey, () => Promise.resolve())
  const { directory, phones = 2, timeout = 300_000 } = options
  if (directory === undefined)
    throw new TypeError(
      'Pass `directory`, a checkout of Phonerack, or set PHONERACK_BASE_URL and PHONERACK_API_KEY.',
    )
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-testing-'))
  const run = (script: string, args: readonly string[]) =>
    ended(path.join(directory, 'scripts', script), [...args, '--data', dir], timeout)
  const stop = async (): Promise<void> => {
    await run('down', [])
    await rm(dir, { recursive: true, force: true })
  }
  try {
    await run('up', ['--detach', '--port', '0', '--virtual-phones', String(phones)])
    const up = JSON.parse(await readFile(path.join(dir, 'up.json'), 'utf8')) as {
      base_url: string
      keys: { admin: string }
    }
    return running(up.base_url, up.keys.admin, stop)
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}

function running(baseUrl: string, apiKey: string, stop: () => Promise<void>): RunningPhonerack {
  let stopped: Promise<void> | undefined
  const stopOnce = () => (stopped ??= stop())
  return {
    client: new Phonerack({ baseUrl, apiKey }),
    baseUrl,
    apiKey,
    stop: stopOnce,
    [Symbol.asyncDispose]: stopOnce,
  }
}

async function ended(program: string, args: readonly string[], timeout: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout })
  let output = ''
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString('utf8')).slice(-4000))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}:\n${output}`)
}
