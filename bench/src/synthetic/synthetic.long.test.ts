/**
 * A synthetic agent works like a host agent: its phone is enrolled, rented, parked, started and ended like
 * any other phone.
 */
import { createLogger } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { phoneSchema } from '@phonerack/e2e/system/api.js'
import { startSystem, stopSystem, type System } from '@phonerack/e2e/system/system.js'
import { eventually, newTenant, operatorOf, readyPhone, sessionsOf } from '@phonerack/e2e/system/tenant.js'
import { startSyntheticRack, type SyntheticRack } from './rack.js'
import type { PhoneCall } from './phone.js'

const log = createLogger('synthetic')
log.level = 'warn'
const calls: PhoneCall[] = []
let system: System
let rack: SyntheticRack | undefined
beforeAll(async () => {
  system = await startSystem({ virtualPhones: 0, args: ['--control-only'] })
  rack = await startSyntheticRack({
    operator: operatorOf(system),
    controlUrl: system.up.base_url,
    log,
    agents: 1,
    phonesPerAgent: 1,
    dir: `${system.dir}/synthetic`,
    onCall: (call) => calls.push(call),
  })
})
afterAll(async () => {
  await rack?.stop()
  await stopSystem(system)
})

const devicesSchema = z.object({
  data: z.array(z.object({ id: z.string(), state: z.string(), link: z.string() })),
})
const kinds = (): string[] => calls.map(({ kind }) => kind)

it('a synthetic phone is enrolled, rented, parked, started, and wiped after its end', async () => {
  const { admin, agent, operator } = await newTenant(system)
  const device = async () => devicesSchema.parse((await operator.get('/operator/v1/devices')).body).data[0]
  const reaches = (state: string) =>
    eventually(`the device is ${state}`, 150_000, async () => (await device())?.state === state)
  await reaches('unenrolled')
  expect((await device())?.link).toBe('unenrolled')
  const accepted = await operator.post(`/operator/v1/devices/${(await device())?.id}/enroll`, { erase: true })
  expect(accepted.status).toBe(202)
  await reaches('free')

  const phone = await readyPhone(agent)
  expect(phone.status).toBe('ready')
  const parked = await agent.post(`/v1/phones/${phone.id}/park`)
  expect(phoneSchema.parse(parked.body).status).toBe('parked')
  const again = await agent.post(`/v1/phones/${phone.id}/start`)
  expect(phoneSchema.parse(again.body).status).toBe('ready')
  expect(kinds()).toEqual(['enroll', 'start', 'park', 'start'])
  expect(calls.slice(1).every(({ phoneId }) => phoneId === phone.id)).toBe(true)

  await admin.delete(`/v1/phones/${phone.id}`)
  await reaches('free')
  expect(kinds().at(-1)).toBe('wipe')
  expect((await sessionsOf(agent, phone.id)).map((session) => session.end_reason)).toHaveLength(2)
  // The agent's record refuses another phone's number.
  const held = rack?.agents[0]?.phones.get('synthetic-0-0')
  const taken = held?.start({ phoneId: phone.id, tenant: 'other', fencingNumber: 1n })
  await expect(taken).rejects.toThrow('assigned again')
})
