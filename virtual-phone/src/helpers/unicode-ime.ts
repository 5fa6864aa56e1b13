/**
 * io.appium.settings/.UnicodeIME: a keyboard without a view that decodes key
 * events in modified UTF-7 (RFC 3501, 5.1.3) and commits the decoded text.
 * Used by `input text` while it is the default keyboard.
 */
export const unicodeIme = 'io.appium.settings/.UnicodeIME'

export class UnicodeIme {
  /** The text since `&`; null outside a shifted part. */
  private shifted: string | null = null

  /** Returns the text to commit for a character; empty while the sequence is incomplete. */
  type(character: string): string {
    if (this.shifted === null) {
      if (character !== '&') return character
      this.shifted = ''
      return ''
    }
    if (character !== '-') {
      this.shifted += character
      return ''
    }
    const text = decodeShifted(this.shifted)
    this.shifted = null
    return text
  }

  /** Resets the state, when a different field gets the input connection. */
  reset(): void {
    this.shifted = null
  }
}

/** Decodes modified base 64 of UTF-16BE; invalid base 64 is committed unchanged. `&-` is `&`. */
function decodeShifted(encoded: string): string {
  if (encoded === '') return '&'
  const bytes = Buffer.from(encoded.replaceAll(',', '/'), 'base64')
  const malformed = /[^A-Za-z0-9+,]/.test(encoded) || bytes.length === 0 || bytes.length % 2 !== 0
  return malformed ? `&${encoded}-` : bytes.swap16().toString('utf16le')
}
