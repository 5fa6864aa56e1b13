/** Text of phones and apps cannot control a terminal. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainJson, plainLine, plainPainted, plainText } from './plain.js'

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b',
      '[',
      '31m',
      ']0;',
      '\u0007',
      '\u009b',
      '\u0090',
      '\u202e',
      '\u{e0041}',
      '\r',
      '\n',
      '\t',
      '\u0000',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
})
const control = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u

it('removes escape sequences as a whole', () => {
  expect(plainLine('a\u001b[31mred\u001b[0m b')).toBe('ared b')
  expect(plainLine('\u001b]0;title\u0007text')).toBe('text')
  expect(plainLine('\u001b]8;;http://evil\u001b\\link')).toBe('link')
  expect(plainLine('abc\u202edcba')).toBe('abcdcba')
})

it('keeps the text after a sequence without an end', () => {
  expect(plainText('[1] \u001b]0;a\n[2] Pay')).toBe('[1] ]0;a\n[2] Pay')
})

it('keeps line breaks only in texts of several lines', () => {
  expect(plainLine('one\r\ntwo\tthree')).toBe('one two three')
  expect(plainText('one\r\ntwo\rthree')).toBe('one\ntwo three')
})

it('leaves no control character in any text', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(plainLine(text)).not.toMatch(control)
      expect(plainText(text).replaceAll('\n', '')).not.toMatch(control)
    }),
  )
})

it('changes nothing the second time', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(plainText(plainText(text))).toBe(plainText(text))
    }),
  )
})

it('writes JSON without control characters and with the same value', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const written = plainJson({ text })
      expect(written).not.toMatch(control)
      expect(JSON.parse(written)).toEqual({ text })
    }),
  )
})

it('keeps the colors of this program, and removes all else', () => {
  expect(plainPainted('\u001b[31mred\u001b[39m \u001b[8mhidden\u001b[2J\u009b\u202e\nnext')).toBe(
    '\u001b[31mred\u001b[39m hidden\nnext',
  )
})
