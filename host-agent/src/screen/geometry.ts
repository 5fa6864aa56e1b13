/** Rectangles and points of the screen, in device pixels. Used by all of `screen/` and `actions/`. */
import type { Point, Size } from '../adb/device/device.js'

/** Left, top, right, bottom; right and bottom are exclusive. */
export type Bounds = readonly [left: number, top: number, right: number, bottom: number]

export const wholeScreen = (screen: Size): Bounds => [0, 0, screen.width, screen.height]

/** Returns the intersection. Null when the intersection has no area. */
export function intersect(a: Bounds, b: Bounds): Bounds | null {
  const left = Math.max(a[0], b[0])
  const top = Math.max(a[1], b[1])
  const right = Math.min(a[2], b[2])
  const bottom = Math.min(a[3], b[3])
  return left < right && top < bottom ? [left, top, right, bottom] : null
}

/** Returns a whole pixel inside the bounds. */
export const centerOf = (bounds: Bounds): Point => ({
  x: Math.floor((bounds[0] + bounds[2]) / 2),
  y: Math.floor((bounds[1] + bounds[3]) / 2),
})

export const sizeOf = (bounds: Bounds): Size => ({
  width: bounds[2] - bounds[0],
  height: bounds[3] - bounds[1],
})

export const areaOf = (bounds: Bounds): number => (bounds[2] - bounds[0]) * (bounds[3] - bounds[1])

export const contains = (bounds: Bounds, point: Point): boolean =>
  point.x >= bounds[0] && point.x < bounds[2] && point.y >= bounds[1] && point.y < bounds[3]

export const isInside = (inner: Bounds, outer: Bounds): boolean =>
  outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]

const boundsPattern =
  /^\s*\[\s*(-?\d{1,9})\s*,\s*(-?\d{1,9})\s*\]\s*\[\s*(-?\d{1,9})\s*,\s*(-?\d{1,9})\s*\]\s*$/

/**
 * Parses `[left,top][right,bottom]`. Null when the text is missing or unreadable, or the bounds have no area: Android
 * reports inverted bounds for content scrolled off the screen.
 */
export function parseBounds(text: string | undefined): Bounds | null {
  const match = text === undefined ? null : boundsPattern.exec(text)
  if (!match) return null
  const [left, top, right, bottom] = match.slice(1).map(Number) as [number, number, number, number]
  return left < right && top < bottom ? [left, top, right, bottom] : null
}
