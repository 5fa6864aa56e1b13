/** All clients of a run: several tenants with renters, and one tenant that sends random requests. */
import { Contract } from '@phonerack/e2e/contract/document.js'
import { Api } from '@phonerack/e2e/system/api.js'
import type { Topology } from '../parts/topology.js'
import { randomOf } from '../random.js'
import type { Timeline } from '../timeline.js'
import { sendRandomRequests } from './random-requests.js'
import { runRenter, visit, type Knowledge } from './renter.js'
import { Watched, type Violation } from './watched.js'

export interface Tenant {
  name: string
  projectId: string
  keys: { admin: string; agent: string; 'read-only': string }
}

export interface Load {
  tenants: Tenant[]
  watched: Watched
  /**
   * Sends requests until `signal` aborts and the last request is answered.
   * @param phase makes names and steps of the phases different
   */
  run(phase: string, signal: AbortSignal): Promise<void>
  /** Reads some of the phones that the clients expect to have. */
  visitSome(signal: AbortSignal): Promise<void>
}

export interface LoadOptions {
  seed: number
  tenants: number
  rentersPerTenant: number
  randomEveryMs: number
  requestLog: string
  timeline: Timeline
  knowledge: Knowledge
  report: (violation: Violation) => void
}

export async function createLoad(system: Topology, options: LoadOptions): Promise<Load> {
  const { seed, timeline, knowledge, report, requestLog } = options
  const contract = await Contract.of(system.baseUrl)
  const watched = new Watched(system.baseUrl, { contract, timeline, requestLog, report })
  const numbers = Array.from({ length: options.tenants }, (_, index) => index + 1)
  const tenants = await Promise.all(numbers.map((number) => createTenant(system, `tenant-${number}`)))
  const prober = await createTenant(system, 'tenant-random')
  return {
    tenants: [...tenants, prober],
    watched,
    async run(phase, signal) {
      const renters = tenants.flatMap((tenant) =>
        Array.from({ length: options.rentersPerTenant }, (_, index) => {
          const name = `${phase}-${tenant.name}-${index + 1}`
          const random = randomOf(seed, name)
          const { admin: key } = tenant.keys
          return runRenter({ name, tenant: tenant.name, key, random, watched, knowledge, report, signal })
        }),
      )
      const random = sendRandomRequests({
        name: `${phase}-random`,
        tenant: prober.name,
        keys: prober.keys,
        contract,
        watched,
        knowledge,
        signal,

        seed: randomOf(seed, `${phase} random requests`).between(1, 2 ** 30),
        everyMs: options.randomEveryMs,
      })
      await Promise.all([...renters, random])
    },
    async visitSome(signal) {
      const random = randomOf(seed, 'visits')
      const some = [...knowledge.left].slice(0, 6)
      await Promise.all(
        some.map(([phone, key]) => {
          const tenant = knowledge.phones.get(phone) ?? ''
          return visit({ name: 'visitor', tenant, key, random, watched, knowledge, report, signal }, phone)
        }),
      )
    },
  }
}

async function createTenant({ operator }: Topology, name: string): Promise<Tenant> {
  const { id } = await operator.createProject({ name, credit_usd: '100000' })
  await operator.changeProject(id, { spend_limit_usd: '100000', max_phones: 200, max_running: 50 })
  const key = async (preset: 'admin' | 'agent' | 'read-only') =>
    (await operator.createKey({ project: id, preset, expires: 'never', name: `${name} ${preset}` })).key
  return {
    name,
    projectId: id,
    keys: { admin: await key('admin'), agent: await key('agent'), 'read-only': await key('read-only') },
  }
}

/** Deletes all phones that the tenants still list. Repeats failed requests until `untilMs`. */
export async function deleteAll(
  system: Topology,
  tenants: readonly Tenant[],
  untilMs: number,
): Promise<string[]> {
  const end = performance.now() + untilMs
  let left: string[] = []
  do {
    left = []
    for (const { keys } of tenants) {
      const api = new Api(system.baseUrl, keys.admin)
      try {
        const answer = await api.get('/v1/phones?limit=100', { timeoutMs: 20_000 })
        if (answer.status !== 200) throw new Error(`list: ${answer.status}`)
        for (const { id } of (answer.body as { data: { id: string }[] }).data) {
          const deleted = await api.request('DELETE', `/v1/phones/${id}`, { timeoutMs: 20_000 })
          if (deleted.status >= 300 && deleted.status !== 404)
            left.push(`${id}: ${deleted.status} ${deleted.bytes.toString().slice(0, 200)}`)
        }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        left.push(error.message)
      }
    }
  } while (left.length > 0 && performance.now() < end)
  return left
}
