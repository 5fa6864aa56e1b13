// For any concurrent requests of tenants, the ledger accounts for all money, and each device has at most one
// phone.
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { changeProject } from '../../testing/operator.js'

const world = useWorld()
let plane: Plane
const devices = 3
const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }

beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_LIFECYCLE_PER_MINUTE: '100000' } })
  await plane.rack(devices, { beatMs: 200 })
})

const step = fc.record({
  what: fc.constantFrom(
    'create',
    'start',
    'park',
    'delete',
    'heartbeat',
    'reboot',
    'reset',
    'freeze',
    'thaw',
    'pause',
  ),
  which: fc.nat(3),
  seconds: fc.integer({ min: 60, max: 400 }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function act(tenant: Tenant, phoneIds: string[], { what, which, seconds }: Step): Promise<void> {
  const { phones, power } = plane.app.services
  const { caller, projectId } = tenant
  if (what === 'pause') return new Promise((resolve) => setTimeout(resolve, 30))
  if (what === 'freeze' || what === 'thaw') {
    await changeProject(plane.app.core, projectId, { frozen: what === 'freeze' })
    return
  }
  if (what === 'create') {
    const { phone } = await phones.create(caller, createBody({ maxDuration: seconds, idleTimeout: 1 }), null)
    phoneIds.push(phone.id)
    return
  }
  const id = phoneIds[which % Math.max(1, phoneIds.length)]
  if (id === undefined) return
  if (what === 'reboot' || what === 'reset') await power[what](caller, id, context)
  else if (what === 'start') await phones.start(caller, id, { idleTimeout: 1, maxDuration: seconds })
  else await phones[what](caller, id)
}

it('keeps every invariant over random lives of two tenants [3.35]', async () => {
  const life = fc.array(step, { minLength: 6, maxLength: 16 })
  await fc.assert(
    fc.asyncProperty(life, life, async (one, two) => {
      const tenants = [await plane.tenant({ credit: '1' }), await plane.tenant({ credit: '1' })]
      await Promise.all(
        [one, two].map(async (steps, index) => {
          const tenant = tenants[index]
          const phoneIds: string[] = []
          for (const each of tenant ? steps : []) await refusalOf(act(tenant as Tenant, phoneIds, each))
        }),
      )
      const { core, services } = plane.app
      expect(await brokenInvariants(core.db)).toEqual([])
      for (const phone of await core.db.phone.findMany({
        where: { status: { notIn: ['failed', 'deleted'] } },
      })) {
        const tenant = tenants.find((each) => each.projectId === phone.projectId)
        if (tenant) await services.phones.delete(tenant.caller, phone.id)
      }
      await eventually(async () => (await core.db.device.count({ where: { state: 'free' } })) === devices)
      expect(await brokenInvariants(core.db)).toEqual([])
      for (const { projectId } of tenants) {
        expect((await core.db.project.findUniqueOrThrow({ where: { id: projectId } })).reservedMicros).toBe(
          0n,
        )
      }
    }),
    { numRuns: 10 },
  )
})
