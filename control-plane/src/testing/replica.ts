/** A real process of the built control plane, with the database and broker of a test's plane. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { freePort } from '@phonerack/launcher/ports'
import { type Plane } from './world.js'

export interface ReplicaProcess {
  origin: string
  /** The exit; null while the process runs. */
  exit(): string | null
  /** Log lines at level `error` and above. */
  errors: string[]
  /** Writes a line to the process's standard input. */
  tell(line: string): void
  /** Sends SIGTERM. */
  terminate(): void
  stop(): Promise<void>
}

const program = path.resolve(import.meta.dirname, '../../dist/main.js')
/**
 * A module for `--import`: ends a process when its standard input closes, so that the process ends with a
 * killed test run.
 */
export const endWithParent = pathToFileURL(path.join(import.meta.dirname, 'end-with-parent.mjs')).href
const readyMs = 120_000

/** @param preload a module that the process loads first */
export async function startReplica(
  { config }: Plane,
  id: string,
  env: Record<string, string> = {},
  preload?: string,
): Promise<ReplicaProcess> {
  if (!existsSync(program)) throw new Error('the control plane is not built: npx turbo run build')
  const [port, operatorPort] = [await freePort(), await freePort()]
  const preloads = [endWithParent, ...(preload === undefined ? [] : [preload])]
  const child = spawn(process.execPath, [...preloads.flatMap((each) => ['--import', each]), program], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: config.databaseUrl,
      PHONERACK_DATABASE_POOL: '5',
      NATS_URL: config.natsUrl,
      ...(config.natsCredsFile === null ? {} : { NATS_CREDS_FILE: config.natsCredsFile }),
      ...(config.natsAccountSeedFile === null ? {} : { NATS_ACCOUNT_SEED_FILE: config.natsAccountSeedFile }),
      PHONERACK_PKI_DIR: config.pkiDir,
      PHONERACK_REPLICA_ID: id,
      PHONERACK_HTTP_PORT: String(port),
      PHONERACK_OPERATOR_LISTEN: `127.0.0.1:${operatorPort}`,
      PHONERACK_REQUESTS_PER_MINUTE: '1000000',
      PHONERACK_STOP_DELAY: '0',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const errors: string[] = []
  let said = ''
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const state: { exit: string | null } = { exit: null }
  void ended.then(
    ([code, signal]) => (state.exit = `exit code ${code}, signal ${signal}: ${said.slice(-2000)}`),
  )
  const read = (chunk: Buffer): void => {
    said = `${said}${chunk.toString('utf8')}`
    const lines = said.split('\n')
    said = lines.pop() ?? ''
    errors.push(
      ...lines.filter((line) => !line.startsWith('{') || /"level":(?:[56]0|"error"|"fatal")/.test(line)),
    )
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const origin = `http://127.0.0.1:${port}`
  for (const until = performance.now() + readyMs; ;) {
    const response = await fetch(`${origin}/healthz`).catch(() => null)
    if (response?.ok) break
    if (state.exit !== null || performance.now() > until)
      throw new Error(`a replica does not start: ${state.exit ?? said}\n${errors.join('\n')}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    origin,
    exit: () => state.exit,
    errors,
    tell: (line) => void child.stdin.write(`${line}\n`),
    terminate: () => void child.kill('SIGTERM'),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
