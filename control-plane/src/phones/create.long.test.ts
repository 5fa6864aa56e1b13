// Admission with real Postgres: the order of refusals, limits and money with parallel requests,
// replays.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBody, eventually, refusalOf, useWorld, type Plane, type Tenant } from '../testing/world.js'

const world = useWorld()
let plane: Plane
let second: Plane
const devices = 6

beforeAll(async () => {
  plane = await world.start()
  await plane.rack(devices, { beatMs: 200 })
  second = await world.start({ beside: plane })
})
beforeEach(async () => {
  await freeAll()
})

const create = (tenant: Tenant, change = {}, key: string | null = null, on = plane) =>
  on.app.services.phones.create(
    tenant.caller,
    createBody(change),
    key === null ? null : { key, bodyHash: JSON.stringify(change) },
  )

/** Deletes every phone and waits until each device is free again. */
async function freeAll(): Promise<void> {
  const { db } = plane.app.core
  await db.lifecycleCount.deleteMany({})
  const phones = await db.phone.findMany({ where: { status: { notIn: ['failed', 'deleted'] } } })
  for (const phone of phones) {
    const caller = {
      projectId: phone.projectId,
      phoneIds: null,
      ownerId: '',
      keyId: '',
      keyHash: '',
      preset: 'admin' as const,
      profile: 'full' as const,
      scopes: [],
    }
    await plane.app.services.phones.delete(caller, phone.id)
  }
  await eventually(async () => (await db.device.count({ where: { state: 'free' } })) === devices)
  await db.lifecycleCount.deleteMany({})
}

describe('the lifecycle limit', () => {
  it('allows exactly 60 requests a minute, over two replicas', async () => {
    const tenant = await plane.tenant()
    const { phone } = await create(tenant)
    // Not across the turn of a minute, which would count as two.
    const left = 60_000 - (Date.now() % 60_000)
    if (left < 8000) await new Promise((resolve) => setTimeout(resolve, left + 50))
    await plane.app.core.db.lifecycleCount.deleteMany({})
    const answers = await Promise.all(
      Array.from({ length: 75 }, (_, index) =>
        refusalOf((index % 2 ? plane : second).app.services.phones.park(tenant.caller, phone.id)),
      ),
    )
    expect(answers.filter((code) => code === null)).toHaveLength(60)
    expect(answers.filter((code) => code === 'rate_limited')).toHaveLength(15)
  })
})
