/** Finds an element of an earlier snapshot on the current screen. Pure. */
import type { ScreenElement } from './elements.js'
import { centerOf, sizeOf, type Bounds } from './geometry.js'
import { cutText } from './observation.js'

export interface ElementIdentity {
  className: string
  id: string | null
  text: string | null
  desc: string | null
}

export const identityOf = (element: ScreenElement): ElementIdentity => ({
  className: element.className,
  id: element.id,
  text: element.text === null ? null : cutText(element.text),
  desc: element.desc === null ? null : cutText(element.desc),
})

const isSame = (a: ElementIdentity, b: ElementIdentity): boolean =>
  a.className === b.className && a.id === b.id && a.text === b.text && a.desc === b.desc

/** The nearest equal element, if it moved by at most its size. Null: the element has disappeared. */
export function findAgain(
  before: ElementIdentity & { bounds: Bounds },
  now: readonly ScreenElement[],
): ScreenElement | null {
  const was = centerOf(before.bounds)
  const size = sizeOf(before.bounds)
  let best: ScreenElement | null = null
  let bestDistance = Infinity
  for (const element of now) {
    const dx = Math.abs(element.center.x - was.x)
    const dy = Math.abs(element.center.y - was.y)
    if (dx > size.width || dy > size.height || dx + dy >= bestDistance) continue
    if (!isSame(before, identityOf(element))) continue
    best = element
    bestDistance = dx + dy
  }
  return best
}
