/** Modified UTF-7, with the examples of RFC 3501 and with arbitrary text. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UnicodeIme } from './unicode-ime.js'

function commit(encoded: string): string {
  const ime = new UnicodeIme()
  return Array.from(encoded, (character) => ime.type(character)).join('')
}

/** Encodes text as in RFC 3501, 5.1.3. */
function encode(text: string): string {
  return text.replace(/&|[^\x20-\x7e]+/g, (part) => {
    if (part === '&') return '&-'
    const base64 = Buffer.from(part, 'utf16le').swap16().toString('base64')
    return `&${base64.replace(/=+$/, '').replaceAll('/', ',')}-`
  })
}

describe('the Unicode keyboard', () => {
  it('commits the examples of RFC 3501', () => {
    expect(commit('~peter/mail/&U,BTFw-/&ZeVnLIqe-')).toBe('~peter/mail/台北/日本語')
    expect(commit('&Jjo-!')).toBe('☺!')
    expect(commit('&-')).toBe('&')
  })

  it('decodes any encoded text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(commit(encode(text))).toBe(text)
      }),
    )
  })

  it('commits invalid base 64 unchanged', () => {
    expect(commit('&!!-x')).toBe('&!!-x')
  })
})
