/**
 * What of the page source's windows belongs to a screen's tree: not the status
 * and navigation bars, and of a keyboard only its place, so that it covers what
 * lies behind it. Else a button "Back" or "Search" of an app would have a twin.
 * Pure. docs/decisions/0072. Used by `tree.ts`.
 */
import { parseBounds } from '../screen/geometry.js'

/** One tag of what Android's serializer writes: `<` and `>` are escaped inside of values. */
const tag = /<(\/?)([A-Za-z_][\w.$-]*)((?:\s[^<>]*)?)>/g
const keyboard = /inputmethod|honeyboard|swiftkey|\.ime(?:\.|$)/
/** A bar is thinner than this part of the longer side. */
const thin = 8

/** A window's place in the source. */
interface Span {
  attributes: string
  start: number
  name: string
  end: number
}

/** The source without bars and without what stands in a keyboard. What is not understood stays as it is. */
export function withoutBars(source: string): string {
  const windows = windowsOf(source)
  if (windows === null || windows.length < 2) return source
  const areas = windows.map(({ attributes }) => parseBounds(valueOf(attributes, 'bounds') || undefined))
  const sides = areas.flatMap((area) => (area ? [area[2], area[3]] : []))
  const longer = Math.max(...sides, 0)
  const isBar = ({ attributes }: Span, index: number): boolean => {
    const area = areas[index]
    if (!area || valueOf(attributes, 'package') !== 'com.android.systemui') return false
    return Math.min(area[2] - area[0], area[3] - area[1]) * thin < longer
  }
  const kept = windows.filter((window, index) => !isBar(window, index))
  // Only bars: then they are what there is.
  if (kept.length === 0) return source
  const first = windows[0]
  const last = windows.at(-1)
  if (!first || !last) return source
  const parts = kept.map((window) =>
    keyboard.test(valueOf(window.attributes, 'package'))
      ? `<${window.name}${emptied(window.attributes)} />`
      : source.slice(window.start, window.end),
  )
  return `${source.slice(0, first.start)}${parts.join('\n')}${source.slice(last.end)}`
}

/** Null when the tags do not fit together. */
function windowsOf(source: string): Span[] | null {
  const windows: Span[] = []
  let depth = 0
  let open: Omit<Span, 'end'> | null = null
  for (const match of source.matchAll(tag)) {
    const [text, closing, name = '', attributes = ''] = match
    const end = match.index + text.length
    if (closing) {
      depth -= 1
      if (depth === 1 && open) windows.push({ ...open, end })
      if (depth < 0) return null
      continue
    }
    const alone = attributes.endsWith('/')
    if (depth === 1) {
      open = { attributes: attributes.replace(/\/$/, ''), start: match.index, name }
      if (alone) windows.push({ ...open, end })
    }
    if (!alone) depth += 1
  }
  return depth === 0 ? windows : null
}

const valueOf = (attributes: string, name: string): string =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''

/** Nothing to read and nothing to press. */
const emptied = (attributes: string): string =>
  attributes
    .trimEnd()
    .replace(/\s(?:text|content-desc|clickable|long-clickable|scrollable|focusable)="[^"]*"/g, '')
