// A screen lock that an agent reports, as operators and the phone's project see it. Runs with real Postgres
// and broker.
import { type DeviceCondition } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { listActivity } from '../../rental/activity/listing.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { LockActivity } from './lock-activity.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { type PhoneView } from '../../rental/phones/types.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant

beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(1, { beatMs: 100 })
  tenant = await plane.tenant()
})

const condition = (isLocked: boolean | null): DeviceCondition => ({
  checked_at: new Date().toISOString(),
  battery_percent: 80,
  battery_celsius: 25,
  storage_free_bytes: null,
  storage_total_bytes: null,
  highest_app_uid: null,
  lock_credential: isLocked,
  warnings: [],
})

it("records once in the project's activity that its phone got a screen lock, however often its host changes its report", async () => {
  const { core, services } = plane.app
  const [device] = [...agent.devices.values()]
  if (!device) throw new Error('no device')
  const routes = async () =>
    (await listActivity(core, { projectId: tenant.caller.projectId, limit: 50, before: null })).data
      .filter(({ method }) => method === 'DEVICE')
      .map(({ route }) => route)
  const says = async (isLocked: boolean | null) => {
    device.condition = condition(isLocked)
    await eventually(async () => {
      const row = await core.db.device.findFirst({ where: { serial: device.serial } })
      return (row?.condition as DeviceCondition | null)?.checked_at === device.condition?.checked_at
    })
  }

  // No phone has the device yet, so the lock does not belong to a tenant.
  await says(true)
  await says(false)
  const { phone } = await services.phones.create(tenant.caller, createBody(), null)
  const isReady = (view: PhoneView) => view.status === 'ready'
  await services.phones.wait(phone.id, isReady, 10_000, new AbortController().signal)
  expect(await routes()).toEqual([])

  await says(true)
  await says(true)
  await eventually(async () => (await routes()).length > 0)
  expect(await routes()).toEqual(['screen_lock_set'])
  await says(null)
  await says(true)
  // A host with alternating reports must not fill a table.
  for (let turn = 0; turn < 10; turn += 1) await says(turn % 2 === 1)
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(await routes()).toEqual(['screen_lock_set'])
  const [entry] = (await listActivity(core, { projectId: tenant.caller.projectId, limit: 1, before: null }))
    .data
  expect(entry).toMatchObject({ key_id: agent.hostId, phone_id: phone.id, code: null })
})

it("writes a device's last report once the minute is over", async () => {
  const { core } = plane.app
  const { id: phoneId } = await core.db.phone.findFirstOrThrow()
  let now = 0
  const written: [string, number][] = []
  const locks = new LockActivity({ record: ({ route }) => written.push([route, now]) }, () => now)
  const change = (isSet: boolean) => ({ deviceId: 'd', hostId: 'h', phoneId, isSet, at: new Date() })
  for (; now < 200_000; now += 1000) await locks.take(core, now < 100_000 ? [change(now % 2000 === 0)] : [])
  expect(written).toEqual([
    ['screen_lock_set', 0],
    ['screen_lock_cleared', 61_000],
  ])
})
