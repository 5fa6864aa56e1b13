/** Rectangles in device pixels: produced by layout, read by painting, the tree and touch. */

export interface Rect {
  left: number
  top: number
  right: number
  bottom: number
}

export const EMPTY: Rect = { left: 0, top: 0, right: 0, bottom: 0 }

/** Returns the intersection, which has zero size if the rectangles do not overlap. */
export function intersect(a: Rect, b: Rect): Rect {
  const left = Math.max(a.left, b.left)
  const top = Math.max(a.top, b.top)
  return {
    left,
    top,
    right: Math.max(left, Math.min(a.right, b.right)),
    bottom: Math.max(top, Math.min(a.bottom, b.bottom)),
  }
}

export function contains(r: Rect, x: number, y: number): boolean {
  return x >= r.left && x < r.right && y >= r.top && y < r.bottom
}

export function isEmpty(r: Rect): boolean {
  return r.right <= r.left || r.bottom <= r.top
}

export const widthOf = (r: Rect): number => r.right - r.left
export const heightOf = (r: Rect): number => r.bottom - r.top
