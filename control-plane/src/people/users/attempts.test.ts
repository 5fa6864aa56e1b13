// Attempts are counted in Postgres, exactly, even of concurrent requests.
import { beforeAll, expect, it } from 'vitest'
import { useWorld, type Plane } from '../../testing/world.js'
import { countAttempt, countAttemptFrom, forgetAttempts } from './attempts.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})
const limit = { max: 5, window: 60 }

it('allows as many as the limit even when they come concurrently, and says how long to wait', async () => {
  const { db } = plane.app.core
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => countAttempt(db, 'concurrent', limit)))
  expect(outcomes.filter((seconds) => seconds === null)).toHaveLength(5)
  for (const seconds of outcomes)
    if (seconds !== null) {
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
    }
  expect(await countAttempt(db, 'other', limit)).toBeNull()
})

it('starts again after the window, and when the attempts are forgotten', async () => {
  const { db } = plane.app.core
  for (let count = 0; count < 6; count += 1) await countAttempt(db, 'window', limit)
  await db.attempt.updateMany({ data: { endsAt: new Date(Date.now() - 1000) } })
  expect(await countAttempt(db, 'window', limit)).toBeNull()
  for (let count = 0; count < 6; count += 1) await countAttempt(db, 'window', limit)
  await forgetAttempts(db, 'window')
  expect(await countAttempt(db, 'window', limit)).toBeNull()
})

it('counts each network, and all networks of a /48 together', async () => {
  const { db } = plane.app.core
  const from = (network: string) => countAttemptFrom(db, 'site', network, { ...limit, max: 2, maxOfSite: 3 })
  const isAllowed = async (network: string) => (await from(network)) === null
  expect([await isAllowed('192.0.2.1'), await isAllowed('192.0.2.1'), await isAllowed('192.0.2.1')]).toEqual([
    ...[true, true, false],
  ])
  const outcomes = []
  for (const group of [1, 1, 1, 2, 3]) outcomes.push(await isAllowed(`2001:db8:5:${group}::/64`))
  expect(outcomes).toEqual([true, true, false, true, false])
  expect(await isAllowed('2001:db8:6:1::/64')).toBe(true)
})

it('does not store addresses and accounts in clear text', async () => {
  const { db } = plane.app.core
  await countAttempt(db, 'password ann@example.com', limit)
  expect(JSON.stringify(await db.attempt.findMany())).not.toContain('ann@')
})
