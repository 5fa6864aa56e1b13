import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { candidates, toKana } from './kana.js'

describe('romaji', () => {
  it.each([
    ['nihongo', 'にほんご'],
    ['toukyou', 'とうきょう'],
    ['gakkou', 'がっこう'],
    ['konnnichiha', 'こんにちは'],
    ['shashin', 'しゃしn'],
    ['shinyou', 'しにょう'],
    ['k', 'k'],
    ['kya', 'きゃ'],
    ['', ''],
  ])('%s is %s', (romaji, kana) => {
    expect(toKana(romaji)).toBe(kana)
  })

  it('keeps the letters of an incomplete syllable, and converts complete ones', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^([kstnhmr]?[aiueo]){1,8}$/),
        fc.constantFrom('', 'k', 'sh'),
        (word, rest) => {
          const kana = toKana(word + rest)
          expect(kana.endsWith(rest)).toBe(true)
          expect(kana.slice(0, kana.length - rest.length)).toMatch(/^[ぁ-ゖ]+$/)
        },
      ),
    )
  })

  it('can become a word or katakana', () => {
    expect(candidates('nihon')).toEqual(['にほん', '日本', 'ニホン'])
    expect(candidates('kamera')).toEqual(['かめら', 'カメラ'])
  })
})
