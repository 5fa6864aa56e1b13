/** Finds the topmost view that handles a touch, in the same layout that is drawn. */
import { contains } from './geometry.js'
import { type View } from './view.js'

const takesTouch = (v: View): boolean =>
  v.clickable ||
  v.blocksTouch ||
  v.longClickable ||
  v.edit !== null ||
  v.scroll !== null ||
  v.pinch !== null ||
  v.onSlide !== null

/**
 * Returns the deepest view that handles touches at the point. Later siblings cover earlier siblings, and
 * views that handle no touches let the touch through.
 */
export function hit(v: View, x: number, y: number): View | null {
  if (!contains(v.visible, x, y)) return null
  for (let i = v.children.length - 1; i >= 0; i--) {
    const child = v.children[i]
    const found = child ? hit(child, x, y) : null
    if (found) return found
  }
  return takesTouch(v) ? v : null
}

/** Returns the nearest view, including this view, that can scroll in `direction`. */
export function scrollerOf(from: View | null, direction: View['scrollDirection']): View | null {
  for (let v = from; v; v = v.parent) {
    if (v.scroll && v.scroll.limit > 0 && v.scrollDirection === direction) return v
  }
  return null
}
