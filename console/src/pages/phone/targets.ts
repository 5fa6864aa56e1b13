/** Targets of actions for an element, for a person who copies them into a program. */
import { type Element, type Screen } from '../../api/types'
import { withEscapes } from '../../direction'

/** The element's name, for people. */
export const elementName = ({ ref, type, text, desc }: Element): string => {
  const label = text ?? desc
  return label === null || label === '' ? `${ref} ${type}` : `${ref} ${type} “${label}”`
}

/** Sorted from the most to the least stable target: the ID or text in the app, then the number on this screen. */
export function targetsOf(screen: Pick<Screen, 'snapshot_id'>, element: Element): string[] {
  const { ref, id, text, desc } = element
  const named = [
    id === null ? null : { id },
    text === null || text === '' ? null : { text },
    desc === null || desc === '' ? null : { desc },
  ].filter((target) => target !== null)
  return [...named, { ref, snapshot_id: screen.snapshot_id }].map((target) =>
    withEscapes(JSON.stringify(target)),
  )
}

interface Place {
  left: number
  top: number
  width: number
  height: number
}

/** The position of an element on the picture, in percent; null: the element is outside of the picture. */
export function placeOf(
  { bounds: [left, top, right, bottom] }: Element,
  { width, height }: { width: number; height: number },
): Place | null {
  const [x1, x2] = [Math.max(0, left), Math.min(width, right)]
  const [y1, y2] = [Math.max(0, top), Math.min(height, bottom)]
  if (x2 <= x1 || y2 <= y1) return null
  const part = (value: number, of: number): number => (100 * value) / of
  return {
    left: part(x1, width),
    top: part(y1, height),
    width: part(x2 - x1, width),
    height: part(y2 - y1, height),
  }
}

/** Sorts small elements last, so that they are drawn above the elements that contain them. */
export const byArea = (elements: readonly Element[]): Element[] => {
  const area = ({ bounds: [left, top, right, bottom] }: Element): number => (right - left) * (bottom - top)
  return elements.toSorted((one, other) => area(other) - area(one))
}
