/** The limits of links per phone and project, even for concurrent requests, and links of an ended session. */
import { ApiError } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
const phones: string[] = []
beforeAll(async () => {
  plane = await world.start({
    env: { PHONERACK_LIVE_LINKS_PER_PHONE: '3', PHONERACK_LIVE_LINKS_PER_PROJECT: '5' },
  })
  await plane.rack(3, { beatMs: 200 })
  tenant = await plane.tenant()
  const { db } = plane.app.core
  for (let each = 0; each < 2; each += 1)
    phones.push((await plane.app.services.phones.create(tenant.caller, createBody(), null)).phone.id)
  await eventually(
    async () => (await db.phone.count({ where: { id: { in: phones }, status: 'ready' } })) === 2,
  )
})

const make = async (phoneId: string, caller = tenant.caller): Promise<ApiError | string> => {
  try {
    return (await plane.app.services.live.createLink(caller, phoneId, { expiresIn: 600, control: true })).url
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

it('refuses a link above the limit of a phone, and of a project, for concurrent requests [20.66]', async () => {
  const [one = '', two = ''] = phones
  const ofOne = await Promise.all(Array.from({ length: 6 }, () => make(one)))
  const refused = ofOne.filter((each) => each instanceof ApiError)
  expect(refused).toHaveLength(3)
  expect(refused[0]).toMatchObject({ code: 'rate_limited', details: { limit: 3 }, retryable: true })
  expect(refused[0]?.next).toMatch(/expires/)
  expect(refused[0]?.retryAfterSeconds).toBeGreaterThan(500)
  expect(refused[0]?.retryAfterSeconds).toBeLessThanOrEqual(600)
  const ofTwo = await Promise.all(Array.from({ length: 3 }, () => make(two)))
  const last = ofTwo.filter((each) => each instanceof ApiError)
  expect(last).toHaveLength(1)
  expect(last[0]).toMatchObject({ code: 'rate_limited', details: { limit: 5 } })

  // Another project has its own limit.
  const other = await plane.tenant()
  const { phone } = await plane.app.services.phones.create(other.caller, createBody(), null)
  const { db } = plane.app.core
  await eventually(
    async () => (await db.phone.findUniqueOrThrow({ where: { id: phone.id } })).status === 'ready',
  )
  expect(await make(phone.id, other.caller)).toContain('#prl_')

  // The links end with the session.
  await db.session.updateMany({
    where: { phoneId: one, endedAt: null },
    data: { endedAt: new Date(), endReason: 'parked', billedSeconds: 60, costMicros: 0n },
  })
  expect(await make(two)).toContain('#prl_')
})
