/** Divides a long document into pages at its headings. Pure. */
import { anchorOf } from './links.js'

export interface Part {
  /** The anchor of the part's first heading in the document. */
  slug: string
  title: string
  /** With the title as its only heading of level 1. */
  markdown: string
  /** Anchors of all headings in it, in the document. */
  anchors: readonly string[]
}

interface Piece {
  level: number
  lines: string[]
}

const headingOf = (line: string): { level: number; text: string } | null => {
  const found = /^(#{1,6}) (.+)$/.exec(line)
  return found ? { level: found[1]?.length ?? 0, text: found[2] ?? '' } : null
}

/**
 * Returns a part for each heading of level 2, and for each heading of level 3 below the headings that `divided` names. Omits
 * text before the first part.
 */
export function split(document: string, divided: ReadonlySet<string>): Part[] {
  const pieces: Piece[] = []
  let isDivided = false
  let isCode = false
  for (const line of document.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode
    const heading = isCode ? null : headingOf(line)
    if (heading?.level === 2) isDivided = divided.has(heading.text)
    if (heading && (heading.level === 2 || (isDivided && heading.level === 3)))
      pieces.push({ level: heading.level, lines: [line] })
    else pieces.at(-1)?.lines.push(line)
  }
  return pieces.map(partOf)
}

function partOf({ level, lines }: Piece): Part {
  let isCode = false
  const anchors: string[] = []
  const raised = lines.map((line) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    const heading = isCode ? null : headingOf(line)
    if (!heading) return line
    anchors.push(anchorOf(heading.text))
    return `${'#'.repeat(heading.level - level + 1)} ${heading.text}`
  })
  const title = headingOf(lines[0] ?? '')?.text ?? ''
  return { slug: anchorOf(title), title, markdown: `${raised.join('\n').trim()}\n`, anchors }
}
