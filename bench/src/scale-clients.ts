/** The clients of the bench of many phones: tenants that create phones and list them. Used by `scale-run.ts` and `events.ts`. */
import { inParallel } from './synthetic/rack.js'
import { phoneSchema, type Api } from '@phonerack/e2e/system/api.js'
import type { System } from '@phonerack/e2e/system/system.js'
import { newTenant } from '@phonerack/e2e/system/tenant.js'

/** The number of projects, of different owners, since creates of one owner wait for each other. */
export const tenants = 10
/** The number of requests in flight at the same time. */
const together = 64

/** Creates the keys of new projects, whose limits allow all phones. */
export async function tenantsFor(system: System, phones: number): Promise<Api[]> {
  const room = { creditUsd: '1000000.000000', spendLimitUsd: '1000000.000000' }
  const keys: Api[] = []
  for (let index = 0; index < tenants; index += 1)
    keys.push((await newTenant(system, { ...room, maxPhones: phones, maxRunning: phones })).admin)
  return keys
}

export interface Created {
  id: string
  /** When the phone's idle timeout ends, in milliseconds since 1970. */
  parksAt: number
}

export interface Creates {
  created: Created[]
  /** Milliseconds from each request to its ready phone. */
  times: number[]
  /** Milliseconds from the first request to the last ready phone. */
  seconds: number
}

/**
 * Creates phones and waits until each is ready.
 * @param idleTimeout seconds
 * @param width creates that run at the same time
 * @throws Error for a create that fails
 */
export async function createPhones(
  keys: readonly Api[],
  count: number,
  idleTimeout: number,
  width = together,
): Promise<Creates> {
  const created: Created[] = []
  const times: number[] = []
  const started = performance.now()
  await inParallel(width, count, async (index) => {
    const key = keys[index % keys.length]
    if (!key) throw new Error('there is no tenant')
    const begun = performance.now()
    const body = { idle_timeout: idleTimeout, max_duration: 10_800 }
    let answer = await key.post('/v1/phones', body)
    while (answer.status === 202)
      answer = await key.get(`/v1/phones/${phoneSchema.parse(answer.body).id}?wait=ready&timeout=50`)
    const phone = answer.status < 300 ? phoneSchema.parse(answer.body) : null
    if (phone?.status !== 'ready' || !phone.session)
      throw new Error(`a create failed: ${answer.status} ${JSON.stringify(answer.body)}`)
    times.push(performance.now() - begun)
    created.push({ id: phone.id, parksAt: Date.parse(phone.session.parks_at) })
  })
  return { created, times, seconds: (performance.now() - started) / 1000 }
}

/**
 * Reads the newest 50 phones of a tenant `count` times, one read after another. Returns the milliseconds of
 * each read.
 */
export async function listPhones(keys: readonly Api[], count: number): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const begun = performance.now()
    const answer = await keys[index % keys.length]?.get('/v1/phones?limit=50')
    if (answer?.status !== 200) throw new Error(`a list failed: ${JSON.stringify(answer?.body)}`)
    times.push(performance.now() - begun)
  }
  return times
}
