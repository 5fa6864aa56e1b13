/**
 * Selects the windows of the page source that belong to a screen's tree: without the
 * status and navigation bars, and with only the bounds of a keyboard, so that it covers
 * the elements behind it. Otherwise an app's button "Back" or "Search" would appear
 * twice. Pure. Used by `tree.ts`.
 */
import { parseBounds, type Bounds } from '../screen/geometry.js'
import { isKeyboard } from '../screen/keyboard.js'

/** One tag as written by Android's serializer: `<` and `>` are escaped inside values. */
const tag = /<(\/?)([A-Za-z_][\w.$-]*)((?:\s[^<>]*)?)>/g
/** A bar is thinner than the longer side divided by this. */
const thin = 8

/** A window's position in the source. */
interface Span {
  attributes: string
  start: number
  name: string
  end: number
}

/** The source without bars and without the content of keyboards. Unrecognised input is kept. */
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
  // A screen of only bars keeps them.
  if (kept.length === 0) return source
  const first = windows[0]
  const last = windows.at(-1)
  if (!first || !last) return source
  const parts = kept.map((window) =>
    isKeyboard(valueOf(window.attributes, 'package'))
      ? `<${window.name}${emptied(window.attributes, keysArea(source.slice(window.start, window.end)))} />`
      : source.slice(window.start, window.end),
  )
  return `${source.slice(0, first.start)}${parts.join('\n')}${source.slice(last.end)}`
}

/** Null when the tags do not match. */
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

/**
 * Bounds of the keys; null when there are none. Some keyboards' windows are as large as
 * the screen, and pass touches above their keys through
 * (`InputMethodService.onComputeInsets`).
 */
function keysArea(window: string): Bounds | null {
  const [, ...inside] = window.matchAll(tag)
  const keys = inside
    .filter(([, , , attributes = '']) => valueOf(attributes, 'clickable') === 'true')
    .map(([, , , attributes = '']) => parseBounds(valueOf(attributes, 'bounds')))
    .filter((bounds) => bounds !== null)
  return keys.reduce<Bounds | null>(
    (all, [left, top, right, bottom]) =>
      all
        ? [Math.min(all[0], left), Math.min(all[1], top), Math.max(all[2], right), Math.max(all[3], bottom)]
        : [left, top, right, bottom],
    null,
  )
}

/** Removes text and actions. */
function emptied(attributes: string, area: Bounds | null): string {
  const kept = attributes
    .trimEnd()
    .replace(/\s(?:text|content-desc|clickable|long-clickable|scrollable|focusable)="[^"]*"/g, '')
  if (!area) return kept
  const [left, top, right, bottom] = area
  return kept.replace(/\sbounds="[^"]*"/, ` bounds="[${left},${top}][${right},${bottom}]"`)
}
