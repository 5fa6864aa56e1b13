/** Lines of the shell as words. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wordsOf } from './words.js'

it('separates words, and keeps quoted ones', () => {
  expect(wordsOf(`tap --text "Sign in" --nth 0`)).toEqual(['tap', '--text', 'Sign in', '--nth', '0'])
  expect(wordsOf(`type 'it''s' "a \\"b\\""`)).toEqual(['type', 'its', 'a "b"'])
  expect(wordsOf(String.raw`type a\ b ''`)).toEqual(['type', 'a b', ''])
  expect(wordsOf('   ')).toEqual([])
})

it('refuses an open quote', () => {
  expect(() => wordsOf('type "hello')).toThrow('The quote " is not closed.')
})

it('reads back every list of quoted words', () => {
  const quoted = (word: string): string => `"${word.replace(/["\\]/g, String.raw`\$&`)}"`
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(wordsOf(words.map(quoted).join(' '))).toEqual(words)
    }),
  )
})
