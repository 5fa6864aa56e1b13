/** The expiry of a hand-over on a replica whose clock is behind Postgres's clock. */
import { expect, it } from 'vitest'
import { type Core } from '../../base/core/core.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld } from '../../testing/world.js'
import { expireHandoff } from './expiry.js'

const world = useWorld()

it('follows its job when that came too early for the replica', async () => {
  const plane = await world.start()
  await plane.rack(1, { beatMs: 200 })
  const tenant = await plane.tenant({ credit: '1000' })
  const phoneId = await readyPhone(plane, tenant)
  const { core } = plane.app
  const made = await plane.server.inject({
    method: 'POST',
    url: `/v1/phones/${phoneId}/handoffs`,
    payload: { message: 'Continue.', expires_in: 600 },
    headers: { authorization: `Bearer ${tenant.key}` },
  })
  const { id } = made.json<{ id: string }>()
  const behind: Core = { ...core, clock: { now: () => new Date(core.clock.now().getTime() - 590_000) } }
  const job = async () => {
    const [row] = await core.db.$queryRaw<{ left: number }[]>`
      select extract(epoch from run_at - clock_timestamp())::float8 as left from graphile_worker.jobs
      where key = ${`handoff.expire:${id}`}`
    return row?.left ?? null
  }
  // By this replica's clock, the hand-over lasts almost 600 s longer than the job waits.
  await expireHandoff(behind, id)
  expect(await job()).toBeGreaterThan(1000)
  await core.db.handoff.update({
    where: { id },
    data: { expiresAt: new Date(core.clock.now().getTime() + 500) },
  })
  await expireHandoff(core, id)
  expect(await job()).toBeLessThan(10)
  await eventually(
    async () => (await core.db.handoff.findUniqueOrThrow({ where: { id } })).status === 'expired',
  )
  await eventually(async () => (await job()) === null)
})
