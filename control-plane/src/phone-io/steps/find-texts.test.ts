import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFinder } from './find-texts.js'

const found = (texts: string[], value: string): string[] =>
  createFinder(texts)(value).map(({ from, to }) => value.slice(from, to))

it('finds each text, and joins texts that overlap or touch', () => {
  expect(found(['abcd', 'cdef', 'xyz'], 'abcdef, xyzxyz, abc')).toEqual(['abcdef', 'xyzxyz'])
  expect(found(['abab'], 'abababab')).toEqual(['abababab'])
  expect(found(['abcdx', 'bcd'], 'abcde')).toEqual(['bcd'])
  expect(found([], 'abc')).toEqual([])
})

it('finds texts in any case, even if the other case has another length', () => {
  expect(found(['Stra\u00dfe'], 'die STRA\u1e9eE')).toEqual(['STRA\u1e9eE'])
  expect(found(['\u039f\u0394\u039f\u03a3'], '\u03bf\u03b4\u03bf\u03c2')).toHaveLength(1)
  expect(found(['\u00e4rger'], '\u0130 \u00c4RGER')).toEqual(['\u00c4RGER'])
  expect(found(['\ud83d\ude00x'], 'a\ud83d\ude00X')).toEqual(['\ud83d\ude00X'])
})

it('marks the same characters as separate searches for the texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', 'b') }),
      (texts, value) => {
        const wanted = Array.from(value, () => false)
        for (const each of texts.map((one) => one.toLowerCase()))
          for (let at = value.indexOf(each); at >= 0; at = value.indexOf(each, at + 1))
            wanted.fill(true, at, at + each.length)
        const marked = Array.from(value, () => false)
        for (const { from, to } of createFinder(texts)(value)) marked.fill(true, from, to)
        expect(marked).toEqual(wanted)
      },
    ),
  )
})

it('takes no longer for texts that resemble the value', () => {
  // With an alternation, a regular expression compares 300 texts of 50 characters at each character of the
  // value.
  const texts = Array.from(
    { length: 300 },
    (_, at) => `${'a'.repeat(49)}${String.fromCodePoint(0x4e00 + at)}`,
  )
  const find = createFinder(texts)
  const value = 'a'.repeat(1_000_000)
  expect(find(value)).toEqual([])
  expect(find(`${value}${texts[299] ?? ''}`)).toHaveLength(1)
})
