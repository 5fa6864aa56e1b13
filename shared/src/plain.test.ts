import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plain, plainLines } from './plain.js'

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
