/** Finds a point of a rectangle that other rectangles do not cover. Used by `touch-point.ts`. Pure. */
import type { Point } from '../adb/device/device.js'
import { centerOf, contains, intersect, type Bounds } from './geometry.js'

/** Pixels to the nearest cover. A larger distance is not preferred. */
const clearance = 24

/**
 * Returns the centre when it is free, otherwise the free point with clearance that is nearest to the centre. Null when
 * no pixel is free. Time grows with the square of the number of covers.
 */
export function freePoint(area: Bounds, covers: readonly Bounds[]): Point | null {
  const center = centerOf(area)
  const inside = covers.map((cover) => intersect(area, cover)).filter((cover) => cover !== null)
  if (!inside.some((cover) => contains(cover, center))) return center
  let best: { point: Point; room: number; distance: number } | null = null
  for (const free of freeRectangles(area, inside)) {
    const room = Math.min(clearance, Math.floor((free[2] - free[0] - 1) / 2), halfHeight(free))
    const point = {
      x: clamp(center.x, free[0] + room, free[2] - 1 - room),
      y: clamp(center.y, free[1] + room, free[3] - 1 - room),
    }
    const distance = (point.x - center.x) ** 2 + (point.y - center.y) ** 2
    if (best && (room < best.room || (room === best.room && distance >= best.distance))) continue
    best = { point, room, distance }
  }
  return best?.point ?? null
}

const halfHeight = (free: Bounds): number => Math.floor((free[3] - free[1] - 1) / 2)
const clamp = (value: number, min: number, max: number): number => Math.max(min, Math.min(max, value))

/**
 * Yields every maximal rectangle without a cover, and some smaller rectangles. The covers' edges divide the area into
 * cells. Row by row, a stack of increasing heights gives the rectangles that end there (largest rectangle in a
 * histogram).
 */
function* freeRectangles(area: Bounds, covers: readonly Bounds[]): Generator<Bounds> {
  const xs = cuts(area[0], area[2], covers, 0)
  const ys = cuts(area[1], area[3], covers, 1)
  const columns = xs.length - 1
  const isCovered = paint(xs, ys, covers)
  // For each column: the row in which its free cells above the current edge begin.
  const freeFrom = Array.from({ length: columns }, () => 0)
  for (let row = 0; row + 1 < ys.length; row += 1) {
    for (let column = 0; column < columns; column += 1) if (isCovered(column, row)) freeFrom[column] = row + 1
    const open: { column: number; from: number }[] = []
    for (let column = 0; column <= columns; column += 1) {
      const from = column < columns ? (freeFrom[column] ?? row + 1) : row + 1
      let start = column
      for (let top = open.at(-1); top && top.from < from; top = open.at(-1)) {
        open.pop()
        start = top.column
        yield rectangle(xs, ys, { left: start, right: column, top: top.from, bottom: row + 1 })
      }
      if (from <= row && open.at(-1)?.from !== from) open.push({ column: start, from })
    }
  }
}

const rectangle = (
  xs: readonly number[],
  ys: readonly number[],
  cells: { left: number; right: number; top: number; bottom: number },
): Bounds => [xs[cells.left] ?? 0, ys[cells.top] ?? 0, xs[cells.right] ?? 0, ys[cells.bottom] ?? 0]

/** Returns the edges on one axis in order, including the area's own. */
const cuts = (from: number, to: number, covers: readonly Bounds[], axis: 0 | 1): number[] =>
  [...new Set([from, to, ...covers.flatMap((cover) => [cover[axis], cover[axis === 0 ? 2 : 3]])])].sort(
    (a, b) => a - b,
  )

/** Counts the covers of each cell: every cover adds one at its corners, then prefix sums. */
function paint(
  xs: readonly number[],
  ys: readonly number[],
  covers: readonly Bounds[],
): (column: number, row: number) => boolean {
  const width = xs.length
  const counts = new Int32Array(width * ys.length)
  const placeOf = (values: readonly number[]) => new Map(values.map((value, index) => [value, index]))
  const [columns, rows] = [placeOf(xs), placeOf(ys)]
  const add = (x: number, y: number, by: number): void => {
    const at = (rows.get(y) ?? 0) * width + (columns.get(x) ?? 0)
    counts[at] = (counts[at] ?? 0) + by
  }
  for (const [left, top, right, bottom] of covers) {
    add(left, top, 1)
    add(right, top, -1)
    add(left, bottom, -1)
    add(right, bottom, 1)
  }
  for (let at = 0; at < counts.length; at += 1) {
    const left = at % width > 0 ? (counts[at - 1] ?? 0) : 0
    const above = at >= width ? (counts[at - width] ?? 0) : 0
    const both = at % width > 0 && at >= width ? (counts[at - width - 1] ?? 0) : 0
    counts[at] = (counts[at] ?? 0) + left + above - both
  }
  return (column, row) => (counts[row * width + column] ?? 0) > 0
}
