/** Makes foreign text safe for a terminal or a shell: names, labels and logs may come from a tenant. */

/** Without control characters, line breaks and text-direction marks. */
export const plain = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')

/** Like `plain`, but keeps line feeds. */
export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n')

/**
 * One word of a command line, quoted for a POSIX shell if necessary. `=` is quoted too: as the first word, `a=b` would be an
 * assignment. `text` contains no NUL.
 */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
