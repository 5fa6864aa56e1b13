/** Plain tables for people. Every cell is made safe for a terminal. */
import { plain } from '@phonerack/shared/plain'

interface Column<Row> {
  title: string
  value: (row: Row) => string | number | null | undefined
  /** Colors a cell. */
  paint?: (cell: string) => string
}

/**
 * A table whose columns are as wide as their widest cell, with `-` for an empty value. @param none the text for a table
 * without rows
 */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): string {
  if (rows.length === 0) return none
  const body = rows.map((row) => columns.map(({ value }) => cellOf(value(row))))
  const lines = [columns.map(({ title }) => title), ...body]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))))
  return lines
    .map((line, lineAt) =>
      line
        .map((cell, at) => {
          const pad = at === line.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - widthOf(cell))
          return (lineAt === 0 ? cell : (columns[at]?.paint?.(cell) ?? cell)) + pad
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The name, the value, and a function that colors the value. */
type Field = readonly [string, string | number | null | undefined, ((cell: string) => string)?]

/** Prints one record with a line for each field that has a value. */
export function record(pairs: readonly Field[]): string {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown
    .map(([name, value, paint = (cell) => cell]) => `${name.padEnd(width)}  ${paint(cellOf(value))}`)
    .join('\n')
}

function cellOf(value: string | number | null | undefined): string {
  const text = value === null || value === undefined ? '' : plain(String(value))
  return text === '' ? '-' : text
}

const segmenter = new Intl.Segmenter()
const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\uff01-\uff60\u3000-\u303f]/u

/** The number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}
