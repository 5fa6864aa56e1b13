// The limit of lifecycle requests. Runs with real Postgres and two replicas.
import { beforeAll, describe, expect, it } from 'vitest'
import { createBody, refusalOf, useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let second: Plane

beforeAll(async () => {
  plane = await world.start()
  await plane.rack(1, { beatMs: 200 })
  second = await world.start({ beside: plane })
})

describe('the lifecycle limit', () => {
  it('allows exactly 60 requests a minute, over two replicas [20.26]', async () => {
    const tenant = await plane.tenant()
    const { phone } = await plane.app.services.phones.create(tenant.caller, createBody(), null)
    // Waits for a new minute near the end of a minute, since the requests would count in two minutes.
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
