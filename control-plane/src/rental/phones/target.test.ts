// The wait for an unreachable phone: its reads, and the events that end it. Runs with real Postgres and
// broker.
import { beforeAll, expect, it } from 'vitest'
import { type Core } from '../../base/core/core.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { type AgentDouble, type DoubleDevice } from '../../testing/agent-double.js'
import { readyTarget } from './target.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let agent: AgentDouble
let phoneId: string
let device: DoubleDevice
beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
  const { serial } = await plane.app.core.db.device.findUniqueOrThrow({ where: { phoneId } })
  const found = agent.devices.get(serial)
  if (!found) throw new Error('no device')
  device = found
})

/** Counts the reads of a target. */
function counting(): { core: Core; reads: () => number } {
  let reads = 0
  const { core } = plane.app
  const read: Core['read'] = (query) => {
    reads += 1
    return core.read(query)
  }
  return { core: { ...core, read }, reads: () => reads }
}
const linkIs = (link: DoubleDevice['link']) => async () =>
  (await plane.app.core.db.device.findUniqueOrThrow({ where: { phoneId } })).link === link
const find = (core: Core, signal?: AbortSignal) =>
  readyTarget(core, plane.app.hosts, tenant.caller, phoneId, signal)

it('reads once for a reachable phone', async () => {
  const { core, reads } = counting()
  await find(core)
  expect(reads()).toBe(1)
})

it('reads a few times while the phone is unreachable, and ends when the client disconnects', async () => {
  device.link = 'offline'
  agent.beat()
  await eventually(linkIs('offline'))
  const patient = counting()
  expect(await refusalOf(find(patient.core))).toBe('phone_unavailable')
  expect(patient.reads()).toBeGreaterThan(2)
  expect(patient.reads()).toBeLessThan(12)

  const gone = new AbortController()
  const impatient = counting()
  const answer = refusalOf(find(impatient.core, gone.signal))
  await eventually(() => impatient.reads() >= 2)
  const before = impatient.reads()
  gone.abort()
  expect(await answer).toBe('phone_unavailable')
  expect(impatient.reads() - before).toBeLessThanOrEqual(2)
  const late = counting()
  expect(await refusalOf(find(late.core, AbortSignal.abort()))).toBe('phone_unavailable')
  expect(late.reads()).toBeLessThanOrEqual(2)
})

it('is woken by the heartbeat that brings the phone back', async () => {
  const { core } = counting()
  const answer = find(core)
  device.link = 'healthy'
  agent.beat()
  expect((await answer).serial).toBe(device.serial)
})
