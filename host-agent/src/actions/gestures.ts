/**
 * Builds the strokes of gestures. Points are whole device pixels inside the screen.
 * Strokes that do not overlap are successive touches. Pure.
 */
import type { Point, Size, Stroke } from '../adb/device/device.js'
import { intersect, sizeOf, wholeScreen, type Bounds } from '../screen/geometry.js'

export type Direction = 'up' | 'down' | 'left' | 'right'

/** One frame: long enough for every app to register a press. */
const tapMs = 20
/** Android treats two taps as a double tap when they are 40 to 300 ms apart (`ViewConfiguration`). */
const betweenTapsMs = 80
const stepMs = 10
/** A rest before the finger lifts prevents a fling. */
const restMs = 100

export const tap = (point: Point): Stroke => hold(point, tapMs)

export const doubleTap = (point: Point): Stroke[] => [
  tap(point),
  { points: tap(point).points.map((at) => ({ ...at, atMs: at.atMs + tapMs + betweenTapsMs })) },
]

export const hold = (point: Point, ms: number): Stroke => ({
  points: [
    { ...point, atMs: 0 },
    { ...point, atMs: ms },
  ],
})

export const swipe = (from: Point, to: Point, durationMs: number): Stroke => line(from, to, durationMs)

/** The finger holds first, to pick the item up, and rests at the end, to drop the item there. */
export const drag = (from: Point, to: Point, holdMs: number, durationMs: number): Stroke =>
  line(from, to, durationMs, holdMs, restMs)

/** Returns the duration of the gesture in milliseconds. */
export const lengthOf = (strokes: readonly Stroke[]): number =>
  Math.max(0, ...strokes.map((stroke) => stroke.points.at(-1)?.atMs ?? 0))

/** Two fingers on the longer axis of the area, moving apart (`scale` above 1) or together. */
export function pinch(area: Bounds, scale: number, durationMs: number): Stroke[] {
  const { width, height } = sizeOf(area)
  const across = width >= height
  const middle = { x: (area[0] + area[2] - 1) / 2, y: (area[1] + area[3] - 1) / 2 }
  // Half the distance between the fingers: inside the area, and never zero.
  const wide = Math.max(1, (across ? width : height) * 0.4)
  const narrow = Math.max(1, Math.min(wide * scale, wide / scale))
  const [start, end] = scale > 1 ? [narrow, wide] : [wide, narrow]
  const at = (distance: number): Point =>
    across ? { x: middle.x + distance, y: middle.y } : { x: middle.x, y: middle.y + distance }
  return [-1, 1].map((side) => inside(line(at(side * start), at(side * end), durationMs), area))
}

/**
 * Returns successive gestures that reveal content in `direction`, by `amount` of the container. They avoid the screen's
 * edges, where Android interprets swipes as navigation.
 */
export function scroll(container: Bounds, direction: Direction, amount: number, screen: Size): Stroke[] {
  const vertical = direction === 'up' || direction === 'down'
  const area = clearOfEdges(container, screen)
  const length = vertical ? container[3] - container[1] : container[2] - container[0]
  const room = Math.max(1, vertical ? area[3] - area[1] - 1 : area[2] - area[0] - 1)
  const distance = Math.max(1, length * amount)
  const count = Math.ceil(distance / room)
  const half = distance / count / 2
  const middle = { x: (area[0] + area[2] - 1) / 2, y: (area[1] + area[3] - 1) / 2 }
  // The finger moves in the opposite direction.
  const sign = direction === 'down' || direction === 'right' ? 1 : -1
  const at = (offset: number): Point =>
    vertical ? { x: middle.x, y: middle.y + offset } : { x: middle.x + offset, y: middle.y }
  const stroke = inside(line(at(sign * half), at(-sign * half), 300, 0, restMs), area)
  return Array.from({ length: count }, () => stroke)
}

/**
 * Insets of 5 % of the container at each side and 6 % of the screen, unless that leaves
 * less than half of the container.
 */
function clearOfEdges(container: Bounds, screen: Size): Bounds {
  const inset = (bounds: Bounds, part: number): Bounds => {
    const { width, height } = sizeOf(bounds)
    const [dx, dy] = [Math.floor(width * part), Math.floor(height * part)]
    return [bounds[0] + dx, bounds[1] + dy, bounds[2] - dx, bounds[3] - dy]
  }
  const within = inset(container, 0.05)
  const clear = intersect(within, inset(wholeScreen(screen), 0.06))
  if (!clear) return within
  const [whole, left] = [sizeOf(within), sizeOf(clear)]
  return left.width * 2 >= whole.width && left.height * 2 >= whole.height ? clear : within
}

function line(from: Point, to: Point, durationMs: number, holdMs = 0, restAfterMs = 0): Stroke {
  const steps = Math.max(1, Math.round(durationMs / stepMs))
  const points = [{ ...rounded(from), atMs: 0 }]
  if (holdMs > 0) points.push({ ...rounded(from), atMs: holdMs })
  for (let step = 1; step <= steps; step += 1) {
    const part = step / steps
    const at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
    points.push({ ...rounded(at), atMs: holdMs + Math.round(durationMs * part) })
  }
  if (restAfterMs > 0) points.push({ ...rounded(to), atMs: holdMs + durationMs + restAfterMs })
  return { points }
}

const rounded = (point: Point): Point => ({ x: Math.round(point.x), y: Math.round(point.y) })

const inside = (stroke: Stroke, area: Bounds): Stroke => ({
  points: stroke.points.map((point) => ({
    x: Math.min(Math.max(point.x, area[0]), area[2] - 1),
    y: Math.min(Math.max(point.y, area[1]), area[3] - 1),
    atMs: point.atMs,
  })),
})
