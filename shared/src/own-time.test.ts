import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OwnTime, ownNow } from './own-time.js'
import { Progress } from './progress.js'

/** Blocks this process, as a pause of its machine does. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('counts the time between two looks up to the limit', () => {
  const gaps = fc.array(fc.record({ ms: fc.nat({ max: 20_000 }), isLook: fc.boolean() }))
  fc.assert(
    fc.property(gaps, (parts) => {
      const own = new OwnTime(0)
      let [now, before, lookedAt, counted] = [0, 0, 0, 0]
      for (const { ms, isLook } of parts) {
        now += ms
        const expected = counted + Math.min(now - lookedAt, 750)
        const said = isLook ? own.count(now) : own.at(now)
        expect(said).toBe(expected)
        expect(said).toBeGreaterThanOrEqual(before)
        before = said
        if (isLook) [lookedAt, counted] = [now, expected]
      }
    }),
  )
})

test('counts all time while the process runs', async () => {
  // The span of `all` contains the span of `own`. One millisecond is for rounding.
  const all = performance.now()
  const own = ownNow()
  await new Promise((resolve) => setTimeout(resolve, 600))
  const counted = ownNow() - own
  // Only the pauses of this machine are missing.
  expect(counted).toBeGreaterThan(450)
  expect(counted).toBeLessThanOrEqual(performance.now() - all + 1)
})

test('a deadline does not pass while the process is paused', async () => {
  const progress = Progress.for(1500)
  const answer = progress.race(
    'an answer',
    () => new Promise((resolve) => setTimeout(() => resolve('there'), 1600)),
  )
  standStill(1800)
  expect(progress.expired).toBe(false)
  expect(await answer).toBe('there')
  await expect(progress.sleep(10_000)).rejects.toThrow('took too long')
})
