/** Plain text tables for people. */
import { plain } from '@phonerack/shared'

interface Column<Row> {
  title: string
  value: (row: Row) => string | number | null
}

/** A table whose columns are as wide as their longest value, with `-` for an empty value. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): string {
  if (rows.length === 0) return none
  const cells = [
    columns.map((column) => column.title),
    ...rows.map((row) => columns.map((column) => plain(String(column.value(row) ?? '-')))),
  ]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => lengthOf(line[at] ?? ''))))
  return cells
    .map((line) =>
      line
        .map((cell, at) => pad(cell, widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One record, one line per field. */
export function fields(pairs: readonly (readonly [string, string | number | null])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value ?? '-'))}`).join('\n')
}

const pad = (text: string, width: number): string => text + ' '.repeat(width - lengthOf(text))

/** Counts graphemes. A wide grapheme counts as one too. */
const lengthOf = (text: string): number => [...segmenter.segment(text)].length
const segmenter = new Intl.Segmenter()
