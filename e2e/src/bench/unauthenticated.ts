// bench: one client's GET /v1/account while 100 others try wrong tokens and keys
/**
 * One client reads its account, alone and while 100 unauthenticated clients send as fast as they get answers,
 * in turns: the ratio of the medians. These clients share one address, or have a /64 each. `./scripts/bench
 * unauthenticated`; `ROUNDS` and `CLIENTS` change the numbers.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Api } from '../system/api.js'
import { startSystem, stopSystem, type System } from '../system/system.js'
import { newKey, newTenant } from '../system/tenant.js'
import { figures, type Figures } from './figures.js'
import { watchMachine } from './load.js'

const rounds = Number(process.env['ROUNDS'] ?? 3)
const clients = Number(process.env['CLIENTS'] ?? 100)
/** Requests per measurement, and milliseconds between two of them. */
const samples = 150
const pauseMs = 10
/** Milliseconds for the unauthenticated clients to start. */
const settleMs = 2000
const goal = 5

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Milliseconds of each request. */
async function readAccount(api: Api): Promise<number[]> {
  const times: number[] = []
  for (let each = 0; each < samples; each += 1) {
    const start = performance.now()
    const { status } = await api.get('/v1/account')
    if (status !== 200) throw new Error(`the account answered ${status}`)
    times.push(performance.now() - start)
    await sleep(pauseMs)
  }
  return times
}

/** Runs `work` under the load of the unauthenticated clients; also returns their responses as `status: requests per second`. */
async function withClients<T>(
  system: System,
  kind: string,
  addresses: string,
  work: () => Promise<T>,
): Promise<[T, string]> {
  const loops = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('unauthenticated-loops.js', import.meta.url)),
      ...[system.up.base_url, kind, addresses, String(clients)],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const start = performance.now()
  const printed = text(loops.stdout)
  try {
    await sleep(settleMs)
    const result = await work()
    const seconds = (performance.now() - start) / 1000
    loops.kill('SIGTERM')
    const answers = JSON.parse(await printed) as [number, number][]
    return [
      result,
      answers.map(([status, count]) => `${status}: ${(count / seconds).toFixed(0)}/s`).join(', '),
    ]
  } finally {
    loops.kill('SIGKILL')
    if (loops.exitCode === null && loops.signalCode === null) await once(loops, 'exit')
  }
}

const row = ({ p50, p99 }: Figures): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

async function measure(system: System): Promise<void> {
  const { projectId } = await newTenant(system)
  // A key for each measurement, so that the limit of 600 requests a minute has no effect.
  const client = async (): Promise<Api> =>
    new Api(system.up.base_url, await newKey(system, projectId, 'read-only'))
  await readAccount(await client())
  for (const kind of ['uploads', 'keys'])
    for (const addresses of ['one', 'many']) {
      const quiet: number[] = []
      const loaded: number[] = []
      const load = await watchMachine()
      let answers = ''
      for (let round = 0; round < rounds; round += 1) {
        quiet.push(...(await readAccount(await client())))
        const api = await client()
        const [times, seen] = await withClients(system, kind, addresses, () => readAccount(api))
        loaded.push(...times)
        answers = seen
      }
      const [before, during] = [figures('quiet', quiet), figures('loaded', loaded)]
      const ratio = during.p50 / before.p50
      process.stdout.write(
        `${clients} clients with wrong ${kind === 'keys' ? 'keys' : 'upload tokens'}, ${addresses === 'one' ? 'one address' : 'a /64 each'}: ` +
          `quiet ${row(before)}; with them ${row(during)}; ratio ${ratio.toFixed(1)}, goal under ${goal}: ` +
          `${ratio < goal ? 'met' : 'MISSED'} (${await load()}; their responses ${answers})\n`,
      )
    }
}

const system = await startSystem({
  virtualPhones: 1,
  env: { LOG_LEVEL: 'warn', PHONERACK_TRUSTED_PROXIES: '127.0.0.1' },
})
try {
  await measure(system)
} finally {
  await stopSystem(system)
}
