/** Breaks text into lines that fit a width, as a TextView does. Used by layout and by the cursor of text fields. */
import { textWidth, type FontWeight } from './fonts.js'

export interface TextLine {
  text: string
  /** The index of the line's first UTF-16 unit in the whole text. */
  start: number
  /** The index after the line's last unit, without the line break. */
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

const FIRST_STEP = 32

/**
 * Returns the ends of the graphemes of `text` between two offsets. Omits the last end if its grapheme can
 * continue after `stop`.
 */
function graphemeEnds(text: string, start: number, stop: number, whole: boolean): number[] {
  const part = text.slice(start, stop)
  // Carriage returns join with line feeds; every other ASCII character is a separate cluster.
  const ends = /^[\x20-\x7e]*$/.test(part)
    ? Array.from({ length: part.length }, (_, i) => start + i + 1)
    : [...segmenter.segment(part)].map(({ index, segment }) => start + index + segment.length)
  if (!whole) ends.pop()
  return ends
}

/**
 * Returns the end of the last grapheme in `[start, end]` that `fits`. The search begins near `start`, so that
 * its cost depends on the line and not on the text.
 */
function reach(text: string, start: number, end: number, fits: (to: number) => boolean): number {
  for (let length = FIRST_STEP; ; length *= 2) {
    const stop = Math.min(end, start + length)
    const ends = graphemeEnds(text, start, stop, stop === end)
    const last = ends.at(-1) ?? start
    if (fits(last)) {
      if (stop === end) return end
      continue
    }
    let low = -1
    let high = ends.length - 1
    while (low + 1 < high) {
      const middle = (low + high) >> 1
      if (fits(ends[middle] ?? start)) low = middle
      else high = middle
    }
    return ends[low] ?? start
  }
}

/**
 * Returns where a line that reaches to `low` breaks: after a space, or anywhere in scripts without spaces.
 */
function breakAt(text: string, start: number, end: number, low: number): number {
  if (low >= end) return end
  const space = text.lastIndexOf(' ', low)
  if (space > start) return space + 1
  // The break is not inside a grapheme, and is after at least one grapheme.
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
  const low = reach(
    text,
    0,
    text.length,
    (to) => textWidth(`${text.slice(0, to)}…`, format.sizePx, format.weight) <= room,
  )
  const last = text.charCodeAt(low - 1)
  const cut = last >= 0xd800 && last <= 0xdbff ? low - 1 : low
  return `${text.slice(0, cut).trimEnd()}…`
}

/** Returns the line with `…` at its end, shortened if it does not fit. */
function cutShort(line: string, room: number, format: TextFormat): string {
  const marked = `${line}…`
  return textWidth(marked, format.sizePx, format.weight) <= room ? marked : ellipsize(line, room, format)
}

/** An earlier layout. A text with the same beginning is laid out only from the first difference. */
export interface LaidOut {
  text: string
  room: number
  format: TextFormat
  block: TextBlock
}

const sameFormat = (a: TextFormat, b: TextFormat): boolean =>
  a.sizePx === b.sizePx && a.weight === b.weight && a.maxLines === b.maxLines

/**
 * Returns the reusable lines of `earlier`: a line depends only on the next line, and on one further line for graphemes.
 */
function keptLines(text: string, room: number, format: TextFormat, earlier: LaidOut | undefined): TextLine[] {
  if (earlier?.room !== room || !sameFormat(earlier.format, format)) return []
  const limit = Math.min(text.length, earlier.text.length)
  let common = 0
  while (common < limit && text.charCodeAt(common) === earlier.text.charCodeAt(common)) common++
  const { lines } = earlier.block
  let kept = 0
  while ((lines[kept + 2]?.end ?? Infinity) < common) kept++
  return lines.slice(0, kept)
}

/** Returns the lines of `text` within `room` pixels. The last of `maxLines` ends in `…` if text follows. */
export function layoutText(text: string, room: number, format: TextFormat, earlier?: LaidOut): TextBlock {
  const measure = (part: string): number => textWidth(part, format.sizePx, format.weight)
  const lines = keptLines(text, room, format, earlier)
  const before = lines.at(-1)
  // A line does not include its break; the next line begins after it.
  let at = before === undefined ? 0 : text[before.end] === '\n' ? before.end + 1 : before.end
  while (lines.length < format.maxLines) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline
    const from = at
    const to = reach(text, from, end, (until) => measure(text.slice(from, until).trimEnd()) <= room)
    const whole = to === end && measure(text.slice(from, end)) <= room
    const last = lines.length + 1 >= format.maxLines
    if (last && to === end && end < text.length) {
      const shown = cutShort(text.slice(from, end), room, format)
      lines.push({ text: shown, start: from, end, width: measure(shown) })
    } else if (last && !whole) {
      const shown = ellipsize(text.slice(from, end), room, format)
      lines.push({ text: shown, start: from, end, width: measure(shown) })
    } else {
      const cut = whole ? end : breakAt(text, from, end, to)
      const shown = whole ? text.slice(from, end) : text.slice(from, cut).trimEnd()
      lines.push({ text: shown, start: from, end: cut, width: measure(shown) })
      at = cut
    }
    if (at === end) {
      if (newline === -1) break
      at = end + 1
    }
  }
  const width = lines.reduce((most, line) => Math.max(most, line.width), 0)
  return { lines, width: Math.ceil(width), lineHeight: Math.round(format.sizePx * 1.33) }
}
