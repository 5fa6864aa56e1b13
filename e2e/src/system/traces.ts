/**
 * A tenant's trace on a phone, and the only device of a system, for tests that show that the next tenant gets
 * a wiped phone.
 */
import { expect } from 'vitest'
import { z } from 'zod'
import type { System } from './system.js'
import { eventually, operatorOf, type Tenant } from './tenant.js'

const trace = '/sdcard/Download/trace-of-a.txt'
const listing = z.object({ data: z.array(z.object({ name: z.string() })) })

export async function leaveTrace({ agent }: Tenant, id: string): Promise<void> {
  const body = Buffer.from('secret of a')
  const headers = { 'content-type': 'application/octet-stream' }
  const path = `/v1/phones/${id}/files?path=${encodeURIComponent(trace)}`
  expect((await agent.put(path, body, { headers })).status).toBeLessThan(300)
  expect(await hasTrace(agent, id)).toBe(true)
}

export async function hasTrace(agent: Tenant['agent'], id: string): Promise<boolean> {
  const answer = await agent.get(`/v1/phones/${id}/files?path=${encodeURIComponent('/sdcard/Download')}`)
  if (answer.status === 404) return false
  return listing.parse(answer.body).data.some(({ name }) => trace.endsWith(name))
}

const deviceList = z.object({
  data: z.array(
    z.object({
      state: z.string(),
      reason: z.string().nullable(),
      fencing_number: z.int(),
      phone_id: z.string().nullable(),
    }),
  ),
})

export async function deviceOf(system: System) {
  const [only] = deviceList.parse((await operatorOf(system).get('/operator/v1/devices')).body).data
  if (!only) throw new Error('there is no device')
  return only
}

export const isFree = (system: System): Promise<void> =>
  eventually('a free device', 120_000, async () => (await deviceOf(system)).state === 'free')
