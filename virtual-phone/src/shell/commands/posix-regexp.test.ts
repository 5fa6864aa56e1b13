import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../command.js'
import { literalSource, PosixRegExp, posixRegExp } from './posix-regexp.js'

const firstMatch = (pattern: string, line: string): string | null => {
  const [match] = [...posixRegExp(pattern, { extended: true }).matches(line)]
  return match ? line.slice(match.start, match.end) : null
}

describe('POSIX regular expressions', () => {
  it('find the longest of the leftmost matches', () => {
    expect(firstMatch('foo|foobar', 'a foobar')).toBe('foobar')
    expect(firstMatch('(a|ab)(c|bcd)', 'abcd')).toBe('abcd')
    expect(firstMatch('x', 'abc')).toBeNull()
  })

  it('are basic or extended', () => {
    expect(posixRegExp('a+', { extended: false }).test('aa')).toBe(false)
    expect(posixRegExp('a+', { extended: true }).test('aa')).toBe(true)
    expect(posixRegExp('\\(a\\)*$', { extended: false }).test('b')).toBe(true)
    expect(posixRegExp('[[:digit:]]', { extended: false }).test('a1')).toBe(true)
    expect(posixRegExp('É', { extended: false, ignoreCase: true }).test('é')).toBe(true)
  })

  it('refuse unsupported and invalid expressions', () => {
    for (const pattern of ['(a)\\1', '(a', '[a', 'a{1001}', '(?=a)', '*'])
      expect(() => posixRegExp(pattern, { extended: true }), pattern).toThrow(UsageError)
  })

  it('answer immediately where backtracking would take years', () => {
    const line = `${'a'.repeat(2000)}!`
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){20}$'])
      expect(posixRegExp(pattern, { extended: true }).test(line), pattern).toBe(false)
  })

  it('match a literal text, and with -w only as a whole word', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('ab.*[]^$\\/(){}|+?-_ é')) })
    fc.assert(
      fc.property(text, text, text, (needle, before, after) => {
        fc.pre(needle !== '')
        const literal = new PosixRegExp(literalSource(needle), needle, { ignoreCase: false })
        expect(literal.test(before + needle + after)).toBe(true)
        expect(literal.test(before)).toBe(before.includes(needle))
      }),
    )
    const word = new PosixRegExp('a', 'a', { ignoreCase: false, words: true })
    expect([...word.matches('a a ba a')].map(({ start }) => start)).toEqual([0, 2, 7])
  })
})
