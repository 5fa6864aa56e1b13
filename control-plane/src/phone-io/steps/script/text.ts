/**
 * Writes literals and comments of scripts. Texts come from phones and tenants, so no text may end a literal
 * or a line. Pure.
 */

/** Characters outside of printable ASCII. */
const special = /[^\x20-\x7e]/gu

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')

/** Returns a JSON literal in ASCII, which is also a JavaScript literal. */
export const literal = (value: unknown): string =>
  JSON.stringify(value ?? null).replace(special, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(''),
  )

const quoted = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(special, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
  })}"`

/** Returns a Python literal in ASCII. */
export function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, each]) => `${quoted(name)}: ${pythonLiteral(each)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}

/** Returns the text as one line of ASCII. */
export const comment = (text: string): string => literal(text).slice(1, -1).replace(/\\"/g, '"')
