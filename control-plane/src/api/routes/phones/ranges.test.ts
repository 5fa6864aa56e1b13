/** Byte ranges by RFC 9110, 14.1.2. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { rangeOf } from './recordings.js'

const size = fc.integer({ min: 1, max: 1000 })
const position = fc.integer({ min: 0, max: 1200 })

it('a range selects the existing bytes that it names', () => {
  fc.assert(
    fc.property(size, position, position, (whole, from, to) => {
      const there = Array.from({ length: whole }, (_, at) => at).filter((at) => at >= from && at <= to)
      const found = rangeOf(`bytes=${from}-${to}`, whole)
      if (to < from) expect(found).toBeNull()
      else expect(found).toEqual(there.length === 0 ? 'outside' : { from: there[0], to: there.at(-1) })
    }),
  )
})

it('one without an end extends to the end, and one without a start selects the last bytes', () => {
  fc.assert(
    fc.property(size, position, (whole, bytes) => {
      expect(rangeOf(`bytes=${bytes}-`, whole)).toEqual(
        bytes < whole ? { from: bytes, to: whole - 1 } : 'outside',
      )
      expect(rangeOf(`bytes=-${bytes}`, whole)).toEqual(
        bytes === 0 ? 'outside' : { from: Math.max(0, whole - bytes), to: whole - 1 },
      )
    }),
  )
})

it.each([
  undefined,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=a-b',
  'bytes=0-1,3-4',
  'items=0-1',
  'bytes=0--1',
])('%s is not a range', (header) => {
  expect(rangeOf(header, 10)).toBeNull()
})
