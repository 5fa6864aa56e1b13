/**
 * Modified UTF-7 (RFC 3501, 5.1.3): any text as printable ASCII, which the keyboard of
 * io.appium.settings reads from key events. Pure. Used by `keyboard-text.ts`.
 */

/** All characters except printable ASCII are base 64 of UTF-16BE between `&` and `-`; `&` itself is `&-`. */
export function encodeModifiedUtf7(text: string): string {
  return text.replace(/[^\x20-\x7e]+|&/g, (run) => {
    if (run === '&') return '&-'
    const base64 = Buffer.from(run, 'utf16le').swap16().toString('base64')
    return `&${base64.replace(/=+$/, '').replaceAll('/', ',')}-`
  })
}

/** Splits text into whole characters, at most `most` UTF-16 units per piece. */
export function piecesOf(text: string, maxLength: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const character of text) {
    if (piece !== '' && piece.length + character.length > maxLength) {
      pieces.push(piece)
      piece = ''
    }
    piece += character
  }
  if (piece !== '') pieces.push(piece)
  return pieces
}
