/** Finds the text offset at a touched point of a field. */
import { after } from '../toolkit/edit-state.js'
import { isRtl, lineSpot } from '../toolkit/display-list.js'
import { textWidth } from '../toolkit/fonts.js'
import { type LayoutScale } from '../toolkit/layout.js'
import { shownText, type View } from '../toolkit/view.js'

export function offsetAt(v: View, x: number, y: number, scale: LayoutScale): number {
  const { block, style } = v
  if (!block || !style || v.text === '') return 0
  let index = 0
  while (index < block.lines.length - 1 && y >= lineSpot(v, index + 1, scale).top) index++
  const line = block.lines[index]
  if (!line) return 0
  const spot = lineSpot(v, index, scale)
  const text = shownText(v)
  const along = isRtl(line.text) ? spot.x + line.width - (x - spot.x) : x
  let at = line.start
  let left = spot.x
  while (at < line.end) {
    const next = Math.min(after(text, at), line.end)
    const right = spot.x + textWidth(text.slice(line.start, next), spot.sizePx, style.weight)
    if (along < (left + right) / 2) break
    at = next
    left = right
  }
  return at
}

/**
 * Returns the start and end of the word at an offset, for a long press. The start equals the end when the offset is in
 * no word.
 */
export function wordAt(text: string, offset: number): { start: number; end: number } {
  for (const part of new Intl.Segmenter('und', { granularity: 'word' }).segment(text)) {
    const end = part.index + part.segment.length
    if (part.isWordLike && offset >= part.index && offset <= end) return { start: part.index, end }
  }
  return { start: offset, end: offset }
}
