/**
 * Byte strings: text whose characters are bytes (0 to 255). The shell, file
 * names and arguments work on these, as Linux does, so any byte but NUL comes
 * through unchanged; only who needs text decodes UTF-8.
 */

export function bytesOf(byteString: string): Buffer {
  return Buffer.from(byteString, 'latin1')
}

export function byteString(bytes: Buffer): string {
  return bytes.toString('latin1')
}

/** UTF-8 text from a byte string. */
export function decode(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}

/** A byte string from text, as UTF-8. */
export function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Where the parser puts bytes from 0x80: it uses U+0080 and U+0081 as marks. */
const parserBase = 0xe000

export function toParser(script: string): string {
  return script.replace(/[\x80-\xff]/g, (char) => String.fromCharCode(parserBase + char.charCodeAt(0)))
}

export function fromParser(text: string): string {
  return text.replace(/[\ue080-\ue0ff]/g, (char) => String.fromCharCode(char.charCodeAt(0) - parserBase))
}

/** A word as a shell's script must have it, so that it comes out as it is. Any bytes but NUL. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
