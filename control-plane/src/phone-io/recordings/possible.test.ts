import { describe, expect, it } from 'vitest'
import { possibleBytes } from './possible.js'

describe('the maximum bytes of a recording', () => {
  const start = new Date('2026-01-02T03:04:05.000Z')
  it.each([
    [0, 1_000_000n],
    [500, 1_500_000n],
    [10_000, 11_000_000n],
    [-10_000, 1_000_000n],
  ])('after %d ms are %d', (ms, bytes) => {
    expect(possibleBytes(start, new Date(start.getTime() + ms))).toBe(bytes)
  })
})
