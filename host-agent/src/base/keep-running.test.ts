import { expect, it } from 'vitest'
import { keepRunning } from './keep-running.js'

/** A clock that does not wait: `lasts` are the milliseconds of each run. Aborts after the last run. */
async function pausesOf(lasts: readonly number[], steadyMs?: number): Promise<number[]> {
  const control = new AbortController()
  const pauses: number[] = []
  let now = 0
  let runs = 0
  await keepRunning(
    () => {
      now += lasts[runs] ?? 0
      runs += 1
      return Promise.resolve('again')
    },
    {
      signal: control.signal,
      pauses: { first: 50, cap: 300 },
      ...(steadyMs === undefined ? {} : { steadyMs }),
      clock: {
        now: () => now,
        pause: (ms) => {
          pauses.push(ms)
          if (pauses.length === lasts.length) control.abort()
          return Promise.resolve()
        },
      },
    },
  )
  expect(runs).toBe(lasts.length)
  return pauses
}

it('doubles the pause after each run, up to the limit', async () => {
  expect(await pausesOf([1, 1, 1, 1, 1])).toEqual([50, 100, 200, 300, 300])
})

it('starts with the first pause again after a long run', async () => {
  expect(await pausesOf([1, 1, 31_000, 1], 30_000)).toEqual([50, 100, 50, 100])
})

it('ends when the work is done', async () => {
  let runs = 0
  await keepRunning(
    () => {
      runs += 1
      return Promise.resolve(runs === 3 ? 'done' : 'again')
    },
    { signal: new AbortController().signal, pauses: { first: 1, cap: 1 } },
  )
  expect(runs).toBe(3)
})

it('does not run again once the signal has aborted', async () => {
  const control = new AbortController()
  let runs = 0
  const kept = keepRunning(
    () => {
      runs += 1
      return Promise.resolve('again')
    },
    { signal: control.signal, pauses: { first: 60_000, cap: 60_000 } },
  )
  await Promise.resolve()
  control.abort()
  await kept
  expect(runs).toBe(1)
})

it('rejects with an error of the work', async () => {
  const signal = new AbortController().signal
  const kept = keepRunning(() => Promise.reject(new Error('a bug')), { signal, pauses: { first: 1, cap: 1 } })
  await expect(kept).rejects.toThrow('a bug')
})
