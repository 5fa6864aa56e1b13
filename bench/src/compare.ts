// bench: taps, batches, reads of the screen and of a phone, by this checkout and by another checkout in turns
/**
 * Compares two commits on one machine: `./scripts/bench compare DIR`. DIR is a checkout of the other commit in which
 * `./scripts/bench path` has run. Both systems run at the same time, and each request goes to one and then to the
 * other, so that other work on the machine meets both. ROUNDS changes the number of requests of each kind. STEPS=off
 * compares without the record of steps, which earlier commits do not have.
 */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Answer, Api } from '@phonerack/e2e/system/api.js'
import { root, type System } from '@phonerack/e2e/system/system.js'
import type * as SystemModule from '@phonerack/e2e/system/system.js'
import type * as TenantModule from '@phonerack/e2e/system/tenant.js'
import { quantile } from './figures.js'

const rounds = Number(process.env['ROUNDS'] ?? 500)
const [otherDir] = process.argv.slice(2)
if (otherDir === undefined) {
  process.stderr.write('Usage: ./scripts/bench compare DIR\n')
  process.exit(2)
}

interface Side {
  api: Api
  /** The path `/v1/phones/{id}`. */
  path: string
  stop(): Promise<void>
}

/** Starts a system of the checkout in `dir` with the code of that checkout, and rents the system's phone. */
async function start(dir: string): Promise<Side> {
  const load = (name: string): Promise<unknown> =>
    import(pathToFileURL(path.join(dir, 'e2e/dist/system', name)).href)
  const { startSystem, stopSystem } = (await load('system.js')) as typeof SystemModule
  const { newTenant, readyPhone } = (await load('tenant.js')) as typeof TenantModule
  const system: System = await startSystem({
    virtualPhones: 1,
    env: { PHONERACK_REQUESTS_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' },
  })
  const stop = (): Promise<void> => stopSystem(system)
  try {
    const { admin: api, operator, projectId } = await newTenant(system)
    // A commit without steps refuses this setting.
    if (process.env['STEPS'] === 'off')
      await operator.patch(`/operator/v1/projects/${projectId}`, { steps: false })
    const { id } = await readyPhone(api, { max_duration: 3600, idle_timeout: 3600 })
    return { api, path: `/v1/phones/${id}`, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const act = ({ api, path: phone }: Side, ...actions: object[]): Promise<Answer> =>
  api.post(`${phone}/actions`, { actions, observe: 'none' })
const tap = { type: 'tap', target: { x: 540, y: 40 } }
const twentyTaps = Array.from({ length: 20 }, () => tap)
const requests: Record<string, (side: Side) => Promise<Answer>> = {
  'tap at a point': (side) => act(side, tap),
  'twenty taps': (side) => act(side, ...twentyTaps),
  'batch, wait 1 ms': (side) => act(side, { type: 'wait', ms: 1 }),
  observe: ({ api, path: phone }) => api.get(`${phone}/observe`),
  'GET /v1/phones/{id}': ({ api, path: phone }) => api.get(phone),
}

async function timeOf(send: () => Promise<Answer>): Promise<number> {
  const begun = performance.now()
  const { status, body } = await send()
  const took = performance.now() - begun
  if (status !== 200) throw new Error(JSON.stringify(body))
  return took
}

const sides: Side[] = []
try {
  for (const dir of [path.resolve(otherDir), root]) sides.push(await start(dir))
  const [other, own] = sides
  if (!other || !own) throw new Error('a system is missing')
  process.stdout.write(
    `Milliseconds, ${rounds} requests of each kind to each system in turns: other → this\n`,
  )
  for (const [name, request] of Object.entries(requests)) {
    const [before, after]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      // Each system is the first in half of the rounds.
      const ownFirst = round % 2 === 1 ? await timeOf(() => request(own)) : null
      before.push(await timeOf(() => request(other)))
      after.push(ownFirst ?? (await timeOf(() => request(own))))
    }
    const columns = [0.25, 0.5, 0.75].map((share) => {
      const [from, to] = [quantile(before, share), quantile(after, share)]
      return `p${share * 100} ${from.toFixed(2)} → ${to.toFixed(2)} (${((to / from - 1) * 100).toFixed(1)} %)`
    })
    process.stdout.write(`${name.padEnd(20)} ${columns.join('   ')}\n`)
  }
} finally {
  for (const side of sides) await side.stop()
}
