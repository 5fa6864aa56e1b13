/** Breaks text into lines that fit a width, as a TextView does. Used by layout and by the cursor of text fields. */
import { textWidth, type FontWeight } from './fonts.js'

export interface TextLine {
  text: string
  /** Index of its first UTF-16 unit in the whole text. */
  start: number
  /** One past its last unit, without the line break. */
  end: number
  width: number
}

export interface TextBlock {
  lines: readonly TextLine[]
  width: number
  lineHeight: number
}

export interface TextFormat {
  sizePx: number
  weight: FontWeight
  maxLines: number
}

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Offsets at which a line may break inside `[start, end)`: after a space, or anywhere in scripts without spaces. */
function breakAt(text: string, start: number, end: number, fits: (to: number) => boolean): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  if (low >= end) return end
  const space = text.lastIndexOf(' ', low)
  if (space > start) return space + 1
  // Not inside a grapheme, and at least one of them.
  let at = start
  for (const part of segmenter.segment(text.slice(start, Math.min(end, low + 64)))) {
    const next = start + part.index + part.segment.length
    if (next > low && at > start) break
    at = next
    if (next >= low) break
  }
  return Math.max(at, start + 1)
}

function ellipsize(text: string, room: number, format: TextFormat): string {
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (textWidth(`${text.slice(0, middle)}…`, format.sizePx, format.weight) <= room) low = middle
    else high = middle - 1
  }
  const last = text.charCodeAt(low - 1)
  const cut = last >= 0xd800 && last <= 0xdbff ? low - 1 : low
  return `${text.slice(0, cut).trimEnd()}…`
}

/** The line with `…` at its end, shortened when it would not fit. */
function cutShort(line: string, room: number, format: TextFormat): string {
  const marked = `${line}…`
  return textWidth(marked, format.sizePx, format.weight) <= room ? marked : ellipsize(line, room, format)
}

/** Lines of `text` in `room` pixels; the last of `maxLines` ends in `…` when more would follow. */
export function layoutText(text: string, room: number, format: TextFormat): TextBlock {
  const lines: TextLine[] = []
  const measure = (part: string): number => textWidth(part, format.sizePx, format.weight)
  let start = 0
  outer: for (const paragraph of text.split('\n')) {
    const end = start + paragraph.length
    let at = start
    do {
      const whole = measure(text.slice(at, end))
      const last = lines.length + 1 >= format.maxLines
      if (whole <= room || at === end) {
        const more = last && end < text.length
        const shown = more ? cutShort(text.slice(at, end), room, format) : text.slice(at, end)
        lines.push({ text: shown, start: at, end, width: more ? measure(shown) : whole })
        at = end
      } else if (last) {
        const shown = ellipsize(text.slice(at, end), room, format)
        lines.push({ text: shown, start: at, end, width: measure(shown) })
        break outer
      } else {
        const from = at
        const to = breakAt(text, at, end, (until) => measure(text.slice(from, until).trimEnd()) <= room)
        const shown = text.slice(at, to).trimEnd()
        lines.push({ text: shown, start: at, end: to, width: measure(shown) })
        at = to
      }
      if (lines.length >= format.maxLines) break outer
    } while (at < end)
    start = end + 1
  }
  const width = lines.reduce((most, line) => Math.max(most, line.width), 0)
  return { lines, width: Math.ceil(width), lineHeight: Math.round(format.sizePx * 1.33) }
}
