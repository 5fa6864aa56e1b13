import fc from 'fast-check'
import { expect, it } from 'vitest'
import { storable } from './storable.js'

it('replaces what Postgres cannot store, and cuts long text', () => {
  expect(storable('a\0b\ud800c', 10)).toBe('a\u{fffd}b\u{fffd}c')
  expect(storable('abcdef', 4)).toBe('abc…')
  // The cut goes through a pair.
  expect(storable('ab😀d', 4)).toBe('ab\u{fffd}…')
})

it('leaves other text as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
      fc.pre(!text.includes('\0'))
      expect(storable(text, 1000)).toBe(text)
    }),
  )
})
