import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { DeadlineExceeded, Progress } from './progress.js'

test('a race ends at the deadline, and its signal aborts', async () => {
  const progress = Progress.for(30)
  let aborted = false
  const work = progress.race('a read', (signal) => {
    signal.addEventListener('abort', () => (aborted = true))
    return new Promise(() => undefined)
  })
  await expect(work).rejects.toThrow(new DeadlineExceeded('a read'))
  expect(aborted).toBe(true)
  expect(progress.expired).toBe(true)
  expect(() => progress.check('more')).toThrow(DeadlineExceeded)
})

test('a part never outlasts the whole, and ends with its parent', async () => {
  const parent = new AbortController()
  const part = Progress.for(50, parent.signal).within(10_000)
  expect(part.remaining).toBeLessThanOrEqual(50)
  parent.abort()
  await expect(part.sleep(10)).rejects.toThrow(DeadlineExceeded)
})

test('a part whose signal is first read later has ended with its parent', () => {
  const parent = new AbortController()
  const [early, late] = [Progress.for(10_000, parent.signal).within(9000), Progress.for(10_000).within(9000)]
  expect([early.expired, early.signal.aborted]).toEqual([false, false])
  const part = Progress.for(10_000, parent.signal).within(9000).within(8000)
  expect(part.expired).toBe(false)
  parent.abort()
  expect([part.expired, part.signal.aborted, early.expired, early.signal.aborted]).toEqual(
    Array(4).fill(true),
  )
  expect([late.expired, late.signal.aborted]).toEqual([false, false])
})

test('work that ends before the deadline keeps its result and its error', async () => {
  await expect(Progress.for(1000).race('a', () => Promise.resolve(7))).resolves.toBe(7)
  await expect(Progress.for(1000).race('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('the deadline passes after a garbage collection', async () => {
  setFlagsFromString('--expose-gc')
  const clean = runInNewContext('gc') as () => void
  const parent = new AbortController()
  const works = Array.from({ length: 50 }, (_, number) =>
    Progress.for(10_000, parent.signal)
      .within(5000)
      .within(150 + number)
      .race('a read', () => new Promise(() => undefined))
      .catch((error: unknown) => error),
  )
  const cleaning = setInterval(clean, 10)
  try {
    expect((await Promise.all(works)).every((error) => error instanceof DeadlineExceeded)).toBe(true)
  } finally {
    clearInterval(cleaning)
  }
})
