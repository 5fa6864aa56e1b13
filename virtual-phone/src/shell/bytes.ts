/**
 * Byte strings: text whose characters are bytes (0 to 255). The shell, file
 * names and arguments use them, as on Linux, so every byte except NUL is
 * preserved. Only code that needs text decodes UTF-8.
 */

export function bytesOf(byteString: string): Buffer {
  return Buffer.from(byteString, 'latin1')
}

export function byteString(bytes: Buffer): string {
  return bytes.toString('latin1')
}

/** Decodes UTF-8 text from a byte string. */
export function decode(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}

/** Encodes text as a byte string in UTF-8. */
export function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Maps bytes from 0x80 for the parser, which uses U+0080 and U+0081 as markers. */
const parserBase = 0xe000

export function toParser(script: string): string {
  return script.replace(/[\x80-\xff]/g, (char) => String.fromCharCode(parserBase + char.charCodeAt(0)))
}

export function fromParser(text: string): string {
  return text.replace(/[\ue080-\ue0ff]/g, (char) => String.fromCharCode(char.charCodeAt(0) - parserBase))
}

/** Quotes a word for a script, so that the shell reads it back unchanged. Accepts all bytes except NUL. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
