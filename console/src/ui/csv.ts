/** A sign that begins a formula, in its usual or wide form, after characters that are not visible. */
const formula = /^[\s\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u
const number = /^-?\d+(?:\.\d+)?$/

/** Quoted, and without a beginning that a spreadsheet would calculate. A number stays one. */
const cell = (value: unknown): string => {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const harmless = formula.test(text) && !number.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}

/** RFC 4180, with a line of the columns' names. */
export const csvOf = <T extends object>(
  columns: readonly (keyof T & string)[],
  rows: readonly T[],
): string => {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','))
  return [columns.join(','), ...lines, ''].join('\r\n')
}
