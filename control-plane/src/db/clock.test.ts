import { expect, it } from 'vitest'
import { DatabaseClock } from './clock.js'

const hour = 3_600_000
const near = (date: Date, ms: number): boolean => Math.abs(date.getTime() - ms) < 1000

it('returns Postgres’s time before and after a step of the machine’s clock', async () => {
  let step = -hour
  const machine = { now: () => new Date(Date.now() + step) }
  const clock = await DatabaseClock.start(() => Promise.resolve(new Date()), machine)
  expect(near(clock.now(), Date.now())).toBe(true)
  expect(Math.round(clock.skewMs / 1000)).toBe(-3600)
  expect(clock.isSkewed).toBe(true)
  step = hour
  expect(near(clock.now(), Date.now())).toBe(true)
  await clock.measure()
  expect(near(clock.now(), Date.now())).toBe(true)
  expect(Math.round(clock.skewMs / 1000)).toBe(3600)
  step = 0
  await clock.measure()
  expect(clock.isSkewed).toBe(false)
})

it('follows a change of Postgres’s time', async () => {
  let ahead = 0
  const machine = { now: () => new Date() }
  const clock = await DatabaseClock.start(() => Promise.resolve(new Date(Date.now() + ahead)), machine)
  ahead = hour
  expect(near(clock.now(), Date.now())).toBe(true)
  await clock.measure()
  expect(near(clock.now(), Date.now() + hour)).toBe(true)
})
