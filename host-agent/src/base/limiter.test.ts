import { expect, it } from 'vitest'
import { createLimiter } from './limiter.js'
import { later } from './later.js'

it('runs as many jobs as allowed, and then the others in order of arrival, even after failures', async () => {
  const limiter = createLimiter(2)
  const begun: number[] = []
  const ends = Array.from({ length: 4 }, () => later<Error | null>())
  const jobs = ends.map(({ promise }, index) =>
    limiter(async () => {
      begun.push(index)
      const error = await promise
      if (error) throw error
      return index
    }).catch(() => 'failed'),
  )
  await Promise.resolve()
  expect(begun).toEqual([0, 1])
  ends[1]?.resolve(new Error('broken'))
  expect(await jobs[1]).toBe('failed')
  expect(begun).toEqual([0, 1, 2])
  for (const each of ends) each.resolve(null)
  expect(await Promise.all(jobs)).toEqual([0, 'failed', 2, 3])
  expect(await limiter(() => Promise.resolve('later'))).toBe('later')
})
