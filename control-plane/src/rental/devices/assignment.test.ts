// A drain that ends between the lock of a free device and its assignment. Runs with real Postgres.
import { beforeAll, expect, it } from 'vitest'
import { inRawTransaction } from '../../base/db/database.js'
import { createBody, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { assignDevice, lockFreeDevice } from './assignment.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(1)
  tenant = await plane.tenant()
})

it('takes another device when the host of the locked device has been drained', async () => {
  const { db, transact } = plane.app.core
  const now = new Date()
  const wanted = {
    projectId: tenant.projectId,
    country: null,
    now,
    heardSince: new Date(now.getTime() - 60_000),
  }
  const found: (string | null)[] = []
  await inRawTransaction(transact, async (tx) => {
    const free = await lockFreeDevice(tx, wanted)
    found.push(free?.id ?? null)
    if (!free) return
    // The update simulates a drain of the host that committed before it waited for its devices.
    await db.host.updateMany({ data: { drainedAt: now, drainUntil: now } })
    await assignDevice(tx, free, 'ph_none')
  })
  expect(found).toEqual([expect.any(String), null])
  expect(await refusalOf(plane.app.services.phones.create(tenant.caller, createBody(), null))).toBe(
    'capacity_unavailable',
  )
  await db.host.updateMany({ data: { drainedAt: null, drainUntil: null } })
  const { phone } = await plane.app.services.phones.create(tenant.caller, createBody(), null)
  const device = await db.device.findUniqueOrThrow({ where: { phoneId: phone.id } })
  expect(device).toMatchObject({ state: 'assigned', confirmedEpoch: null, cleanFor: '' })
})
