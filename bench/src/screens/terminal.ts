/**
 * Renders the screen of a terminal after a program's output as HTML. Supports the codes that `phonerack` and
 * readline write: colours, moves of the cursor, erasing. Source of the codes: ECMA-48. Pure.
 */

interface Cell {
  text: string
  style: string
}

/** SGR codes, in the colors of the picture. */
const styles: Readonly<Record<string, string>> = {
  '1': 'font-weight:bold',
  '2': 'opacity:.6',
  '31': 'color:#ff7b72',
  '32': 'color:#7ee787',
  '33': 'color:#e3b341',
  '36': 'color:#76e3ea',
}
/** These codes end bold and dim, and the colour. */
const ends: Readonly<Record<string, readonly string[]>> = { '22': ['1', '2'], '39': ['31', '32', '33', '36'] }

// oxlint-disable-next-line no-control-regex -- these are the codes to find
const token = /\u001b\[([\d;?]*)([@-~])|\u001b[=>]|[\r\n\b]|\u001b|[^\u001b\r\n\b]/gu

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** @throws Error for an unknown code */
export function screenOf(output: string, columns: number): string {
  const rows: Cell[][] = [[]]
  const on = new Set<string>()
  let [row, column] = [0, 0]
  const line = (): Cell[] => {
    while (rows.length <= row) rows.push([])
    return rows[row] ?? []
  }
  const put = (text: string): void => {
    if (column === columns) [row, column] = [row + 1, 0]
    const cells = line()
    while (cells.length < column) cells.push({ text: ' ', style: '' })
    cells[column] = { text, style: [...on].map((code) => styles[code] ?? '').join(';') }
    column += 1
  }
  const paint = (codes: string): void => {
    for (const code of codes.split(';'))
      if (code === '' || code === '0') on.clear()
      else if (ends[code]) for (const ended of ends[code]) on.delete(ended)
      else if (styles[code] === undefined) throw new Error(`the color ${code} is unknown`)
      else on.add(code)
  }
  const control = (codes: string, letter: string): void => {
    const count = Math.max(1, Number(codes) || 1)
    if (letter === 'm') paint(codes)
    else if (letter === 'K') line().length = Math.min(line().length, column)
    else if (letter === 'J') {
      line().length = Math.min(line().length, column)
      rows.length = row + 1
    } else if (letter === 'A') row = Math.max(0, row - count)
    else if (letter === 'B') row += count
    else if (letter === 'C') column = Math.min(columns, column + count)
    else if (letter === 'D') column = Math.max(0, column - count)
    else if (letter === 'G') column = count - 1
    // Modes, such as bracketed paste, are ignored.
    else if (letter !== 'h' && letter !== 'l') throw new Error(`the code ${letter} is unknown`)
  }
  for (const [text, codes = '', letter] of output.matchAll(token)) {
    if (letter !== undefined) control(codes, letter)
    else if (text === '\r') column = 0
    else if (text === '\n') row += 1
    else if (text === '\b') column = Math.max(0, column - 1)
    else if (!text.startsWith('\u001b')) put(text)
  }
  return rows
    .map((cells) =>
      cells
        .map(({ text, style }) =>
          style === '' ? escaped(text) : `<span style="${style}">${escaped(text)}</span>`,
        )
        .join(''),
    )
    .join('\n')
    .trimEnd()
}
