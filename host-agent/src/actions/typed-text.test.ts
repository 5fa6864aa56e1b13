import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeTyped, type FieldText } from './typed-text.js'

const shown = (text: string, empty = text === ''): FieldText => ({
  text,
  maskedLength: 0,
  masked: false,
  empty,
})
const dots = (maskedLength: number): FieldText => ({
  text: '',
  maskedLength,
  masked: true,
  empty: maskedLength === 0,
})
const judge = (before: string, typed: string, after: string, cleared = false) =>
  judgeTyped(shown(before), cleared, typed, shown(after))

describe('text in a field', () => {
  it('counts as arrived alone, at the end, at the start and in the middle', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== ''),
        (left, right, typed) => {
          // Case and spaces alone do not show that any text arrived.
          fc.pre(/[\p{L}\p{N}]/u.test(typed))
          expect(judge(left + right, typed, left + typed + right)).toBe('arrived')
        },
      ),
    )
  })

  it.each([
    ['a phone number gets its form', '5551234567', '(555) 123-4567'],
    ['a date gets its slashes', '01022026', '01/02/2026'],
    ['an amount gets its places', '1000.5', '$1,000.50'],
    ['a card number gets its spaces', '4111111111111111', '4111 1111 1111 1111'],
    ['a name gets its capital', 'ada', 'Ada'],
    ['lines become spaces', 'a\nb', 'a b'],
    ['an address is completed', 'exam', 'example.com'],
    ['quotes get curly', `it's "fine"...`, 'It’s “fine”…'],
    ['a direction mark is put in', 'שלום', '\u200fשלום'],
    ['a control character shows as a dot', 'a\u0001b', 'a.b'],
    ['half of a pair is replaced', 'a\ud800b', 'a\ufffdb'],
    ['a space becomes a narrow one', '10:10 am', '10:10\u202fAM'],
    ['a soft hyphen is put in', 'Einstellungen', 'Ein\u00adstellungen'],
    ['a minus sign is typeset', '-5', '\u22125'],
    ['an accent is composed', 'e\u0301t\u00e9', '\u00e9t\u00e9'],
  ])('arrived when %s', (_, typed, after) => {
    expect(judge('', typed, after)).toBe('arrived')
  })

  it.each([
    ['nothing came', 'hello', '', ''],
    ['the end is missing', 'hello world', '', 'hello wor'],
    ['letters were dropped by a number field', '12a4', '', '124'],
    ['an emoji was dropped', 'hi 🙂', '', 'hi'],
    ['an at sign was dropped', 'a@b.example', '', 'ab.example'],
    ['digits are in another order', '1234', '', '1243'],
    ['it came twice', '漢a', '', '漢a漢a'],
    ['it came twice next to a text', 'ab', 'x', 'xabab'],
    ['nothing changed, though the word was there', 'an', 'banana', 'banana'],
  ])('differs when %s', (_, typed, before, after) => {
    expect(judge(before, typed, after)).toBe('differs')
  })

  it('is not cleared when the old text is still there', () => {
    expect(judge('old', 'new', 'oldnew', true)).toBe('kept')
    expect(judge('old', 'new', 'new', true)).toBe('arrived')
    expect(judge('new', 'new', 'new', true)).toBe('arrived')
  })

  it('is absent when only a hint is shown', () => {
    expect(judgeTyped(shown('Search', true), false, 'Search', shown('Search'))).toBe('arrived')
    expect(judgeTyped(shown('Search', true), false, 'cat', shown('cat'))).toBe('arrived')
  })

  it('is counted when it is masked', () => {
    expect(judgeTyped(dots(0), false, 'secret', dots(6))).toBe('arrived')
    expect(judgeTyped(dots(3), false, 'secret', dots(9))).toBe('arrived')
    expect(judgeTyped(dots(0), false, '🙂🙂', dots(2))).toBe('arrived')
    expect(judgeTyped(dots(0), false, '🙂🙂', dots(4))).toBe('arrived')
    expect(judgeTyped(dots(0), false, 'secret', dots(4))).toBe('differs')
    expect(judgeTyped(dots(3), true, 'secret', dots(9))).toBe('kept')
    expect(judgeTyped(dots(0), false, 'secret', dots(0))).toBe('hidden')
  })
})
