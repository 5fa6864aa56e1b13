/** Quoted, and without a beginning that a spreadsheet would calculate. */
const cell = (value: unknown): string => {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
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
