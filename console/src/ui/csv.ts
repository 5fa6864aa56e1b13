/** Matches a sign that begins a formula, in its usual or full-width form, after invisible characters. */
const formula = /^[\s\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u
const number = /^-?\d+(?:\.\d+)?$/

/** Quotes a text, and prevents that a spreadsheet reads it as a formula. Numbers stay unquoted. */
const cell = (value: unknown): string => {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const harmless = formula.test(text) && !number.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}

/** CSV by RFC 4180, with a header line. */
export const csvOf = <T extends object>(
  columns: readonly (keyof T & string)[],
  rows: readonly T[],
): string => {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','))
  return [columns.join(','), ...lines, ''].join('\r\n')
}
