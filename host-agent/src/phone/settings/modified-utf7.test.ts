import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeModifiedUtf7, piecesOf } from './modified-utf7.js'

/** Written independently from RFC 3501, 5.1.3. */
const decode = (text: string): string =>
  text.replace(/&([^-]*)-/g, (_, base64: string) =>
    base64 === '' ? '&' : Buffer.from(base64.replaceAll(',', '/'), 'base64').swap16().toString('utf16le'),
  )

describe('modified UTF-7', () => {
  it('matches RFC 3501', () => {
    expect(encodeModifiedUtf7('~peter/mail/台北/日本語')).toBe('~peter/mail/&U,BTFw-/&ZeVnLIqe-')
    expect(encodeModifiedUtf7('a&b')).toBe('a&-b')
  })

  it('is printable ASCII and decodes to the same text, also in pieces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 2, max: 20 }),
        (text, most) => {
          expect(encodeModifiedUtf7(text)).toMatch(/^[\x20-\x7e]*$/)
          expect(decode(encodeModifiedUtf7(text))).toBe(text)
          const pieces = piecesOf(text, most)
          expect(pieces.map((piece) => decode(encodeModifiedUtf7(piece))).join('')).toBe(text)
          expect(pieces.every(({ length }) => length <= most)).toBe(true)
        },
      ),
    )
  })
})
