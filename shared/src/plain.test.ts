import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plain, plainJson, plainLines, shellWord } from './plain.js'
import { hostileTexts } from './testing/plain-texts.js'

it.each(hostileTexts)('makes a text safe: $about', ({ text, plain: expected, lines }) => {
  expect(plain(text)).toBe(expected)
  expect(plainLines(text)).toBe(lines)
})

it.each(hostileTexts)('writes JSON with the same value and nothing hidden: $about', ({ text }) => {
  const json = plainJson(JSON.stringify({ [text]: text }, null, 2))
  expect(json).not.toMatch(/\u200c|\u200d|\ufe0e|\ufe0f/u)
  expect(plainLines(json)).toBe(json)
  expect(JSON.parse(json)).toEqual({ [text]: text })
})

it('keeps line feeds and tabs in several lines', () => {
  expect(plainLines('one\r\ntwo\rthree\tfour\u2028five\u001b[0m')).toBe('one\ntwo three\tfour five')
  expect(plainLines('[1] \u001b]0;a\n[2] Pay\u0007')).toBe('[1] ]0;a\n[2] Pay')
})

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...hostileTexts.map(({ text }) => text)),
    fc.constantFrom(
      ...'\u001b[];?0m\\\u0007\u009b\u009d\u009c\r\n\t\udb40\udc41❤\ufe0f\u200d\u200cم1\u20e3\u180b'.split(
        '',
      ),
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
})

it('leaves no character that controls or hides, and changes nothing the second time', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const line = plain(text)
      expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/u)
      expect(plain(line)).toBe(line)
      const lines = plainLines(text)
      expect(lines.replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/u)
      expect(plainLines(lines)).toBe(lines)
    }),
  )
})

/** Milliseconds of this process's processor, which other programs do not change: 80,000 characters took 56,000 in quadratic time. */
const workLimit = 2000

it.each([
  '\u009d',
  '\u001b]',
  '\u001bP',
  '\u009b',
  '\u001b[0',
  '\u001b[ ',
  '\u200d',
  '❤\u200d',
  '\udb40',
  '\r',
  'a',
])('does work in proportion to the length: %j', (piece) => {
  const text = piece.repeat(80_000)
  const before = process.cpuUsage()
  for (const filter of [plain, plainLines, plainJson]) filter(text)
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(workLimit)
})

it.each(['a=b', 'A=b', '--a=b c', "it's", '$(id)', '~', '#a', ''])('quotes %j as one word for sh', (text) => {
  expect(execFileSync('sh', ['-c', `printf '%s|' ${shellWord(text)}`]).toString()).toBe(`${text}|`)
  // The first word is the name of a command, never an assignment.
  const first = `${shellWord(text)} 2>/dev/null || printf 'no such command'`
  expect(execFileSync('sh', ['-c', first]).toString()).toBe('no such command')
})
