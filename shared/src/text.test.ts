import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isStorable, makeStorable, shorten } from './text.js'

/** Includes lone halves of surrogate pairs. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
  .map((units) => String.fromCharCode(...units))

it('makes any text storable and leaves storable text as it is', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (text) => {
      const made = makeStorable(text)
      expect(isStorable(made)).toBe(true)
      expect(Buffer.from(made).toString('utf8')).toBe(made)
      if (isStorable(text)) expect(made).toBe(text)
    }),
  )
  expect(makeStorable('a\0b\ud83dc')).toBe('a\uFFFDb\uFFFDc')
  expect(isStorable('👋')).toBe(true)
})

it('shortens to whole code points', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, most) => {
      const short = shorten(text, most)
      const points = Array.from(text)
      expect(short).toBe(points.length > most ? `${points.slice(0, most).join('')}…` : text)
    }),
  )
  expect(shorten(`${'a'.repeat(199)}👋b`, 200)).toBe(`${'a'.repeat(199)}👋…`)
})
