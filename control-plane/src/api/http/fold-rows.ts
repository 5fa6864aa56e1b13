/**
 * Shortens long lists in the text form of a screen, for models: after the first rows of a shape, the remaining rows become a
 * line such as `… 12 more rows like [23]`. Used by `/mcp` and by `format=text&fold=true`. Pure.
 */

/** About a screenful. */
const shownRows = 12
/** A list with fewer rows beyond them is not shortened. */
const leastFolded = 8
/** The most elements of a row. */
const mostElements = 6

const line = /^((?:[+~] )?)\[(\d+)\] (\S+)(?: "(?:[^"\\]|\\.)*")?((?: #\S+)?(?: [a-z_]+)*) \(-?\d+,-?\d+\)$/

export function foldRows(text: string): string {
  const lines = text.split('\n')
  // A line without an element equals no other line.
  const shapes = lines.map((each, index) => {
    const [, sign, , type, rest] = line.exec(each) ?? []
    return type === undefined ? String(index) : `${sign}${type}${rest}`
  })
  const folded: string[] = []
  for (let at = 0; at < lines.length;) {
    const row = rowsAt(shapes, at)
    if (!row) {
      folded.push(lines[at] ?? '')
      at += 1
      continue
    }
    const shown = at + shownRows * row.elements
    const [, , ref] = line.exec(lines[shown - row.elements] ?? '') ?? []
    folded.push(...lines.slice(at, shown), `… ${row.count - shownRows} more rows like [${ref}]`)
    at += row.count * row.elements
  }
  return folded.join('\n')
}

/** The rows of one shape that begin here, if they are enough. */
function rowsAt(shapes: readonly string[], at: number): { elements: number; count: number } | null {
  for (let elements = 1; elements <= mostElements; elements += 1) {
    let end = at + elements
    while (end < shapes.length && shapes[end] === shapes[end - elements]) end += 1
    const count = Math.floor((end - at) / elements)
    if (count >= shownRows + leastFolded) return { elements, count }
  }
  return null
}
