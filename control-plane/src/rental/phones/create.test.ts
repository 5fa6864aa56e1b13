// Admission: the order of refusals, limits and money with parallel requests, and replays. Runs with real
// Postgres.
import { ApiError } from '@phonerack/shared'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { changeProject, setPaused } from '../../testing/operator.js'

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

it('counts refused creates and starts against creates and starts, not against parks and deletes', async () => {
  const at = new Date()
  const limited = await world.start({
    beside: plane,
    clock: { now: () => at },
    env: { PHONERACK_LIFECYCLE_PER_MINUTE: '3' },
  })
  const { phones } = limited.app.services
  const tenant = await plane.tenant({ maxRunning: 1 })
  const first = (await create(tenant)).phone
  await plane.app.core.db.lifecycleCount.deleteMany({})
  const refusals = []
  for (let attempt = 0; attempt < 4; attempt += 1)
    refusals.push(await refusalOf(create(tenant, {}, null, limited)))
  expect(refusals).toEqual([...Array.from({ length: 3 }, () => 'running_limit_reached'), 'rate_limited'])
  const renewal = { idleTimeout: null, maxDuration: null }
  expect(await refusalOf(phones.start(tenant.caller, first.id, renewal))).toBe('rate_limited')
  await phones.park(tenant.caller, first.id)
  await phones.delete(tenant.caller, first.id)
  await phones.delete(tenant.caller, first.id)
  // Parks and deletes count too: the three before this used up the limit.
  expect(await refusalOf(phones.delete(tenant.caller, first.id))).toBe('rate_limited')
})

describe('idempotency', () => {
  it('creates one phone for 8 parallel creates with one key, on two replicas [17.4]', async () => {
    const tenant = await plane.tenant()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => create(tenant, {}, 'key-00000001', index % 2 ? plane : second)),
    )
    expect(new Set(answers.map((answer) => answer.phone.id)).size).toBe(1)
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1)
    const account = await plane.app.services.phones.account(tenant.caller)
    expect([account.phones, account.reservedMicros]).toEqual([1, 900_000n])
    const counted = await plane.app.core.db.lifecycleCount.findMany({
      where: { projectId: tenant.projectId },
    })
    expect(counted.map((row) => row.count)).toEqual([1])
  })

  it('refuses another body and names the phone; replays a deleted phone; accepts the key again after it expires', async () => {
    const tenant = await plane.tenant()
    const { phone } = await create(tenant, {}, 'key-00000002')
    const conflict = await create(tenant, { name: 'other' }, 'key-00000002').catch((error: unknown) => error)
    expect(conflict).toBeInstanceOf(ApiError)
    expect(conflict).toMatchObject({ code: 'idempotency_conflict', details: { phone: phone.id } })
    await plane.app.services.phones.delete(tenant.caller, phone.id)
    const replay = await create(tenant, {}, 'key-00000002')
    expect(replay).toMatchObject({ replayed: true, phone: { id: phone.id, status: 'deleted' } })
    await plane.app.core.db.idempotencyKey.updateMany({ data: { expiresAt: new Date(0) } })
    expect((await create(tenant, {}, 'key-00000002')).phone.id).not.toBe(phone.id)
  })
})

describe('refusals', () => {
  it('come in the order of the table [6.16, 23.7]', async () => {
    const tenant = await plane.tenant({ credit: '0.05', spendLimit: '0.000001', maxPhones: 0, maxRunning: 0 })
    const { core } = plane.app
    const change = (to: Parameters<typeof changeProject>[2]) => changeProject(core, tenant.projectId, to)
    const taken = await core.db.device.findMany({})
    await core.db.device.updateMany({ data: { state: 'quarantined' } })
    await change({ frozen: true })
    await setPaused(core, true)
    const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000)
    await core.db.lifecycleCount.createMany({
      data: [0, 1].map((next) => ({
        projectId: tenant.projectId,
        minute: new Date(minute.getTime() + next * 60_000),
        count: 60,
      })),
    })
    const seen: (string | null)[] = []
    const record = async () => seen.push(await refusalOf(create(tenant)))
    expect(await refusalOf(create(tenant, { country: 'DE' }))).toBe('validation_failed')
    await record()
    await change({ frozen: false })
    await record()
    await setPaused(core, false)
    await record()
    await core.db.lifecycleCount.deleteMany({})
    await record()
    await change({ max_running: 1 })
    await record()
    await change({ max_phones: 1 })
    await record()
    await core.db.device.updateMany({
      where: { id: { in: taken.map((device) => device.id) } },
      data: { state: 'free' },
    })
    await record()
    await change({ credit_usd: '10' })
    await record()
    await change({ spend_limit_usd: '100' })
    await record()
    expect(seen).toEqual([
      'project_frozen',
      'service_paused',
      'rate_limited',
      'running_limit_reached',
      'phone_limit_reached',
      'capacity_unavailable',
      'insufficient_credits',
      'spend_limit_reached',
      null,
    ])
  })

  it('count running phones over all projects of an owner [14.4, 20.17]', async () => {
    const one = await plane.tenant({ owner: 'both', maxRunning: 1 })
    const other = await plane.tenant({ owner: 'both', maxRunning: 1 })
    await create(one)
    expect(await refusalOf(create(other))).toBe('running_limit_reached')
  })

  it('shorten an omitted duration to the credit', async () => {
    const tenant = await plane.tenant({ credit: '0.3' })
    expect((await create(tenant, { maxDuration: null })).phone.session?.maxDuration).toBe(300)
  })
})

describe('parallel creates', () => {
  it('never exceed a limit or overspend, and never share a device [20.18]', async () => {
    const plan = fc.record({
      credit: fc.integer({ min: 0, max: 6 }),
      maxPhones: fc.integer({ min: 0, max: 7 }),
      maxRunning: fc.integer({ min: 0, max: 7 }),
      spendLimit: fc.integer({ min: 0, max: 6 }),
      requests: fc.array(fc.record({ project: fc.nat(1), maxDuration: fc.integer({ min: 60, max: 3000 }) }), {
        minLength: 4,
        maxLength: 12,
      }),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ credit, maxPhones, maxRunning, spendLimit, requests }) => {
        await freeAll()
        const owner = `owner ${Math.random()}`
        const limits = { credit: `${credit}`, spendLimit: `${spendLimit}`, maxPhones, maxRunning, owner }
        const tenants = [await plane.tenant(limits), await plane.tenant(limits)]
        await Promise.all(
          requests.map(({ project, maxDuration }, index) => {
            const tenant = tenants[project]
            if (!tenant) throw new Error('no tenant')
            return refusalOf(create(tenant, { maxDuration }, null, index % 2 ? plane : second))
          }),
        )
        expect(await brokenInvariants(plane.app.core.db)).toEqual([])
        const accounts = await Promise.all(
          tenants.map((tenant) => plane.app.services.phones.account(tenant.caller)),
        )
        for (const account of accounts) {
          expect(account.phones).toBeLessThanOrEqual(maxPhones)
          expect(account.reservedMicros).toBeLessThanOrEqual(BigInt(credit) * 1_000_000n)
          expect(account.reservedMicros).toBeLessThanOrEqual(BigInt(spendLimit) * 1_000_000n)
        }
        const running = accounts.reduce((sum, account) => sum + account.running, 0)
        expect(running).toBeLessThanOrEqual(Math.min(maxRunning, devices))
      }),
      { numRuns: 12 },
    )
  })
})
