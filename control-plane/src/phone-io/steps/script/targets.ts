/** Finds targets that also exist on another phone: texts and IDs instead of refs and points. Pure. */
import { type Element, type Observation, type SearchTarget, type Target } from '@phonerack/shared'
import { mark } from '../redact.js'

/** The longest text in characters that counts as a name. Longer texts are content. */
const longest = 100

export type ScriptTarget = SearchTarget | { x: number; y: number }

export const isPoint = (target: ScriptTarget): target is { x: number; y: number } => 'x' in target

export interface Found {
  target: ScriptTarget
  /** Why the target is a point; null: it is not a point, or the client sent the point. */
  note: string | null
}

/** The known screens of a session. */
export interface Known {
  /** Screens by snapshot ID. */
  screen: (snapshotId: string) => Observation | null
  /** The screen directly before the action; null: the phone may have changed since the screen was read. */
  fresh: Observation | null
}

/**
 * @param touched the point that was touched
 * @returns null when the element is unknown and no point was touched
 */
export function scriptTarget(
  target: Target,
  touched: readonly [number, number] | null,
  known: Known,
): Found | null {
  if ('ref' in target) return ofRef(target, touched, known)
  if ('x' in target) {
    const element = known.fresh && touchableAt(known.fresh, target)
    const found = element && known.fresh ? searchTarget(element, known.fresh.elements) : null
    return found
      ? { target: found, note: null }
      : { target: { x: target.x, y: target.y }, note: 'a point: the step had no element for it' }
  }
  const words = 'text' in target ? target.text : 'desc' in target ? target.desc : ''
  if (!words.includes(mark)) return { target, note: null }
  return pointOf(touched, 'a point: its text was typed, and is not kept')
}

function ofRef(
  { ref, snapshot_id: id }: { ref: number; snapshot_id: string },
  touched: readonly [number, number] | null,
  { screen }: Known,
): Found | null {
  const seen = screen(id)
  const element = seen?.elements.find((each) => each.ref === ref)
  if (!seen || !element) return pointOf(touched, 'a point: the screen of its ref is not kept')
  const found = searchTarget(element, seen.elements)
  if (found) return { target: found, note: null }
  return pointOf(touched ?? element.center, 'a point: its element has no unique text or ID')
}

const pointOf = (touched: readonly [number, number] | null, note: string): Found | null =>
  touched && { target: { x: touched[0], y: touched[1] }, note }

/** A target that matches only this element; null: no such target exists. */
export function searchTarget(element: Element, elements: readonly Element[]): SearchTarget | null {
  const alone = (field: 'id' | 'text' | 'desc'): boolean =>
    elements.filter((each) => each[field] === element[field]).length === 1
  const { id } = element
  // IDs of Android's own layouts occur on many screens.
  if (id !== null && !id.startsWith('android:') && alone('id')) return { id }
  const text = nameOf(element.text)
  const isContent = element.state.includes('editable') && !element.state.includes('hint')
  if (text !== null && !isContent && alone('text')) return { text }
  const desc = nameOf(element.desc)
  if (desc !== null && alone('desc')) return { desc }
  if (id !== null && alone('id')) return { id }
  if (text === null || isContent) return null
  const nth = elements.filter((each) => each.text === text).indexOf(element)
  return { text, nth }
}

/** Returns null for a text that does not name an element. */
const nameOf = (text: string | null): string | null =>
  text === null || text.trim() === '' || text.includes(mark) || Array.from(text).length > longest
    ? null
    : text

const touchable = ['clickable', 'long_clickable', 'checkable', 'editable']

/** The smallest element at the point that accepts touches. */
function touchableAt({ elements }: Observation, { x, y }: { x: number; y: number }): Element | null {
  const areaOf = ({ bounds: [left, top, right, bottom] }: Element): number => (right - left) * (bottom - top)
  const at = elements.filter(
    ({ bounds: [left, top, right, bottom], state }) =>
      x >= left && x < right && y >= top && y < bottom && touchable.some((each) => state.includes(each)),
  )
  return at.toSorted((a, b) => areaOf(a) - areaOf(b))[0] ?? null
}
