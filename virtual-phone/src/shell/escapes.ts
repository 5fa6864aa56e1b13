/** Backslash escapes of `echo`, `printf` and `$'…'`, on byte strings. */

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

interface Unescaped {
  text: string
  /** True when a `\c` ended the output. */
  stopped: boolean
}

/** @param zeroOctal octal only as `\0nnn` (echo and `%b`), otherwise as `\nnn` */
export function unescape(text: string, zeroOctal: boolean): Unescaped {
  let out = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char !== '\\' || at + 1 >= text.length) {
      out += char ?? ''
      continue
    }
    const rest = text.slice(at + 1)
    const next = rest[0] ?? ''
    if (next === 'c') return { text: out, stopped: true }
    const octal = (zeroOctal ? /^0([0-7]{0,3})/ : /^([0-7]{1,3})/).exec(rest)
    const hex = /^x([0-9a-fA-F]{1,2})/.exec(rest)
    const unicode = /^u([0-9a-fA-F]{1,4})|^U([0-9a-fA-F]{1,8})/.exec(rest)
    if (octal !== null) {
      out += String.fromCharCode(parseInt(octal[1] === '' ? '0' : (octal[1] ?? '0'), 8) & 255)
      at += octal[0].length
    } else if (hex !== null) {
      out += String.fromCharCode(parseInt(hex[1] ?? '0', 16))
      at += hex[0].length
    } else if (unicode !== null) {
      const point = parseInt(unicode[1] ?? unicode[2] ?? '0', 16)
      out += point <= 0x10ffff ? Buffer.from(String.fromCodePoint(point)).toString('latin1') : ''
      at += unicode[0].length
    } else {
      out += simple[next] ?? `\\${next}`
      at += 1
    }
  }
  return { text: out, stopped: false }
}

export function unescapeDollarQuoted(text: string): string {
  return unescape(text, false).text
}
