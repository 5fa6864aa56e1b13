// bench: one client's GET /v1/account while others attack: wrong tokens and keys, upgrades, hand-overs, sessions
/**
 * Measures the ratio of two medians: one client reads its account, in turns alone and while other clients send as fast as
 * they get answers. The other clients have no key and share one address or have a /64 each, or they have the link of a
 * hand-over or a session of the console. `./scripts/bench strangers`; `ROUNDS` and `ONLY` (kinds, separated by commas)
 * select the measurements.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { Api } from '@phonerack/e2e/system/api.js'
import { startSystem, stopSystem, type System } from '@phonerack/e2e/system/system.js'
import { consolePassword, firstLink } from '@phonerack/e2e/system/console-pages.js'
import { newKey, newTenant, readyPhone, type Tenant } from '@phonerack/e2e/system/tenant.js'
import { figures, type Figures } from './figures.js'
import { watchMachine } from './load.js'

const rounds = Number(process.env['ROUNDS'] ?? 3)
/** The number of requests per measurement, and milliseconds between two requests. */
const samples = 150
const pauseMs = 10
/** Milliseconds for the unauthenticated clients to start. */
const settleMs = 2000

interface Attack {
  name: string
  clients: number
  addresses: readonly ('one' | 'many')[]
  /** The highest accepted ratio. */
  goal: number
  /** Returns the URL of a hand-over, or cookies, for the clients. */
  secret?: (system: System, tenant: Tenant) => Promise<string>
}

const attacks: Record<string, Attack> = {
  uploads: { name: 'unknown upload tokens', clients: 100, addresses: ['one', 'many'], goal: 5 },
  keys: { name: 'wrong keys', clients: 100, addresses: ['one', 'many'], goal: 5 },
  upgrades: { name: 'offers of an upgrade', clients: 20, addresses: ['one'], goal: 3 },
  handoff: {
    name: 'decisions on one hand-over',
    clients: 10,
    addresses: ['one'],
    goal: 3,
    secret: handoffOf,
  },
  session: {
    name: 'one session of the console',
    clients: 60,
    addresses: ['one'],
    goal: 3,
    secret: sessionOf,
  },
}

const only = (process.env['ONLY'] ?? Object.keys(attacks).join(',')).split(',')

/** Returns the link of a new hand-over of a new phone. */
async function handoffOf(_system: System, { agent }: Tenant): Promise<string> {
  const { id } = await readyPhone(agent)
  const answer = await agent.post(`/v1/phones/${id}/handoffs`, { message: 'Please help.' })
  return z.object({ url: z.url() }).parse(answer.body).url
}

/** Returns the cookies of a user of the console. */
async function sessionOf(system: System): Promise<string> {
  const { origin, hash } = new URL(await firstLink(system))
  const cookies = new Map<string, string>()
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}): Promise<unknown> => {
    const answer = await fetch(`${origin}/console/api${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { origin, 'content-type': 'application/json', cookie: cookieHeader(cookies), ...headers },
      signal: AbortSignal.timeout(10_000),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const { csrf_token: token } = z.object({ csrf_token: z.string() }).parse(await ask('/session'))
  const user = { name: 'Bench', email: 'bench@example.com', password: consolePassword }
  await ask('/invitations/accept', { token: hash.slice(1), user }, { 'x-csrf-token': token })
  return cookieHeader(cookies)
}

const cookieHeader = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns the milliseconds of each request. */
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

/**
 * Runs `work` under the load of the other clients. Also returns the clients' responses as `status: requests
 * per second`.
 */
async function withClients<T>(
  system: System,
  { kind, clients, addresses, secret }: { kind: string; clients: number; addresses: string; secret: string },
  work: () => Promise<T>,
): Promise<[T, string]> {
  const loops = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('strangers-loops.js', import.meta.url)),
      ...[system.up.base_url, kind, addresses, String(clients), secret],
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
  // Each measurement uses a new key, so that the limit of 600 requests a minute has no effect.
  const client = async (): Promise<Api> =>
    new Api(system.up.base_url, await newKey(system, projectId, 'read-only'))
  await readAccount(await client())
  for (const kind of only) {
    const attack = attacks[kind]
    if (!attack) throw new Error(`unknown kind ${kind}: use ${Object.keys(attacks).join(', ')}`)
    const { name, clients, goal } = attack
    const secret = (await attack.secret?.(system, await newTenant(system))) ?? ''
    for (const addresses of attack.addresses) {
      const quiet: number[] = []
      const loaded: number[] = []
      const load = await watchMachine()
      let answers = ''
      for (let round = 0; round < rounds; round += 1) {
        quiet.push(...(await readAccount(await client())))
        const api = await client()
        const loops = { kind, clients, addresses, secret }
        const [times, seen] = await withClients(system, loops, () => readAccount(api))
        loaded.push(...times)
        answers = seen
      }
      const [before, during] = [figures('quiet', quiet), figures('loaded', loaded)]
      const ratio = during.p50 / before.p50
      process.stdout.write(
        `${clients} clients, ${name}, ${addresses === 'one' ? 'one address' : 'a /64 each'}: ` +
          `quiet ${row(before)}; with them ${row(during)}; ratio ${ratio.toFixed(1)}, goal under ${goal}: ` +
          `${ratio < goal ? 'met' : 'MISSED'} (${await load()}; their responses ${answers})\n`,
      )
    }
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
