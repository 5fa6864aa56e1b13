import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plain, plainLines, shellWord } from './plain.js'

it('removes the characters that control a terminal, and no others', () => {
  expect(plain('a\u001b[31mb\u0007\u202ec\r\n\u009b2Jd')).toBe('a[31mbc2Jd')
  expect(plain('Grüße, 世界 👨‍👩‍👧')).toBe('Grüße, 世界 👨‍👩‍👧')
})

it('leaves no control character in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(plain(text)).not.toMatch(/\p{Cc}/u)
      expect(plainLines(text)).not.toMatch(/[^\P{Cc}\n]/u)
    }),
  )
})

it.each(['a=b', 'A=b', '--a=b c', "it's", '$(id)', '~', '#a', ''])('quotes %j as one word for sh', (text) => {
  expect(execFileSync('sh', ['-c', `printf '%s|' ${shellWord(text)}`]).toString()).toBe(`${text}|`)
  // The first word is the name of a command, never an assignment.
  const first = `${shellWord(text)} 2>/dev/null || printf 'no such command'`
  expect(execFileSync('sh', ['-c', first]).toString()).toBe('no such command')
})
