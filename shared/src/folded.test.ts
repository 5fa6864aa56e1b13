import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { folded } from './folded.js'

describe('folded', () => {
  it.each([
    ['a narrow space before am', '10:10\u202fam', '10:10 AM'],
    ['a no-break space', 'S/\u00a08', 's/ 8'],
    ['line breaks and tabs', 'Wi-Fi\r\n\tcalling', 'wi-fi calling'],
    ['spaces at the ends', '  Save\u3000', 'save'],
    ['a curly apostrophe', 'Don\u2019t allow', "don't allow"],
    ['the Ukrainian apostrophe', '\u041c\u02bc\u044f\u0447', "\u043c'\u044f\u0447"],
    ['curly quotes', '\u201cNotes\u201d', '"notes"'],
    ['guillemets', '\u00abNotes\u00bb', '"notes"'],
    ['a no-break hyphen', 'Wi\u2011Fi', 'wi-fi'],
    ['dashes', '9:00 \u2013 10:00', '9:00 - 10:00'],
    ['two hyphens that became a dash', 'a\u2014b', 'a--b'],
    ['a minus sign', '\u22125 °C', '-5 °C'],
    ['an ellipsis', 'More\u2026', 'more...'],
    ['direction marks', '\u200f\u05e9\u05dc\u05d5\u05dd\u200e', '\u05e9\u05dc\u05d5\u05dd'],
    ['soft hyphens and zero-width spaces', 'Ein\u00adstel\u200blungen', 'einstellungen'],
    ['a variation selector', '\u2764\ufe0f', '\u2764'],
    ['a decomposed letter', 'Cafe\u0301', 'caf\u00e9'],
    ['the German sharp s', 'Stra\u00dfe', 'STRASSE'],
    ['the Greek final sigma', '\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c2'],
    ['the Turkish I', '\u0130zin ver', 'izin ver'],
  ])('makes equal what differs by %s', (_name, one, other) => {
    expect(folded(one)).toBe(folded(other))
  })

  it.each([
    ['S/ 8', 'S/ 80'],
    ['Resume', 'R\u00e9sum\u00e9'],
    ['ー', '-'],
    ['Send', 'Send!'],
  ])('keeps %s and %s apart', (one, other) => {
    expect(folded(one)).not.toBe(folded(other))
  })

  it('is the same for a folded text and for each form of composition', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(folded(folded(text))).toBe(folded(text))
        expect(folded(text.normalize('NFD'))).toBe(folded(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps at most 32 marks of one character, since composing a longer run takes quadratic time', () => {
    const marks = '\u0315\u0316'.repeat(50_000)
    expect(folded(`a${marks}b`)).toHaveLength(34)
  })
})
