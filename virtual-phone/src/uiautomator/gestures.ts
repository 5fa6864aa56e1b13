/**
 * Gestures like AndroidX UiAutomator's (`Gestures`, `UiObject2`): fingers
 * that move at a speed in pixels per second, with events 5 ms apart.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { AccessibilityNode, ScreenRect } from '../android/accessibility.js'
import type { World } from '../android/world.js'
import { invalidArgument } from './errors.js'
import { centerOf } from './tree.js'

export interface Point {
  x: number
  y: number
}

export type Direction = 'up' | 'down' | 'left' | 'right'

const stepMs = 5
/** dp per second. */
const defaultSpeed = { drag: 2500, swipe: 5000, scroll: 5000, fling: 7500, pinch: 1000 }
const longPressMs = 500
const doubleTapGapMs = 150
/** A finger that rests before it lifts does not fling. */
const restMs = 250
const opposite: Readonly<Record<Direction, Direction>> = {
  up: 'down',
  down: 'up',
  left: 'right',
  right: 'left',
}

interface Stroke {
  from: Point
  to: Point
}

export class Gestures {
  constructor(
    private readonly world: World,
    /** Ends pending waits. */
    readonly signal: AbortSignal,
  ) {}

  async tap({ x, y }: Point, holdMs = 0): Promise<void> {
    this.world.touch('down', 0, x, y)
    if (holdMs > 0) await this.wait(holdMs)
    this.world.touch('up', 0, x, y)
  }

  async doubleTap(point: Point): Promise<void> {
    await this.tap(point)
    await this.wait(doubleTapGapMs)
    await this.tap(point)
  }

  longPress(point: Point, durationMs: number | null): Promise<void> {
    if (durationMs !== null && durationMs < 0) throw invalidArgument('Long click duration cannot be negative')
    return this.tap(point, durationMs ?? longPressMs)
  }

  async drag(from: Point, to: Point, speed: number | null): Promise<void> {
    await this.strokes([{ from, to }], this.speed('drag', speed), { holdMs: longPressMs, restMs: 0 })
  }

  async swipe(area: ScreenRect, direction: Direction, percent: number, speed: number | null): Promise<void> {
    await this.strokes([strokeOf(area, direction, checkPercent(percent))], this.speed('swipe', speed))
  }

  /** Whether the view can scroll further in that direction. */
  async scroll(
    area: ScreenRect,
    direction: Direction,
    percent: number,
    speed: number | null,
  ): Promise<boolean> {
    if (percent < 0) throw invalidArgument('Percent must be greater than 0.0f')
    for (let left = percent; left > 0; left -= 1) {
      const stroke = strokeOf(area, opposite[direction], Math.min(left, 1))
      await this.strokes([stroke], this.speed('scroll', speed), { holdMs: 0, restMs })
      if (!this.canScroll(area, direction)) return false
    }
    return true
  }

  async fling(area: ScreenRect, direction: Direction, speed: number | null): Promise<boolean> {
    const minimum = 50 * this.density
    if (speed !== null && speed < minimum)
      throw invalidArgument(`Speed ${speed} is less than the minimum fling velocity ${minimum}`)
    await this.strokes([strokeOf(area, opposite[direction], 1)], this.speed('fling', speed))
    return this.canScroll(area, direction)
  }

  async pinch(area: ScreenRect, percent: number, speed: number | null, way: 'open' | 'close'): Promise<void> {
    checkPercent(percent)
    const { x, y } = centerOf(area)
    const reach = { x: ((area.right - area.left) / 2) * percent, y: ((area.bottom - area.top) / 2) * percent }
    const outer: [Point, Point] = [
      { x: x - reach.x, y: y + reach.y },
      { x: x + reach.x, y: y - reach.y },
    ]
    const inner: [Point, Point] = [
      { x: x - 1, y: y + 1 },
      { x: x + 1, y: y - 1 },
    ]
    const [from, to] = way === 'open' ? [inner, outer] : [outer, inner]
    const strokes = [
      { from: from[0], to: to[0] },
      { from: from[1], to: to[1] },
    ]
    await this.strokes(strokes, this.speed('pinch', speed))
  }

  /** Resolves early when the server ends. */
  async wait(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal }).catch((error: unknown) => {
      if (!this.signal.aborted) throw error
    })
  }

  private get density(): number {
    return this.world.display.density / 160
  }

  private speed(kind: keyof typeof defaultSpeed, given: number | null): number {
    if (given !== null && given < 0) throw invalidArgument('Speed cannot be negative')
    return given ?? defaultSpeed[kind] * this.density
  }

  /** Plays strokes. Each stroke is a finger, and all fingers move simultaneously. */
  private async strokes(
    strokes: readonly Stroke[],
    speed: number,
    { holdMs, restMs: rest } = { holdMs: 0, restMs: 0 },
  ): Promise<void> {
    const longest = Math.max(...strokes.map(({ from, to }) => Math.hypot(to.x - from.x, to.y - from.y)))
    const steps = speed === 0 ? 1 : Math.max(1, Math.ceil(((longest / speed) * 1000) / stepMs))
    const at = ({ from, to }: Stroke, part: number): [number, number] => [
      from.x + (to.x - from.x) * part,
      from.y + (to.y - from.y) * part,
    ]
    strokes.forEach((stroke, finger) => this.world.touch('down', finger, ...at(stroke, 0)))
    if (holdMs > 0) await this.wait(holdMs)
    for (let step = 1; step <= steps && !this.signal.aborted; step++) {
      strokes.forEach((stroke, finger) => this.world.touch('move', finger, ...at(stroke, step / steps)))
      await this.wait(stepMs)
    }
    if (rest > 0) await this.wait(rest)
    strokes.forEach((stroke, finger) => this.world.touch('up', finger, ...at(stroke, 1)))
  }

  /** Whether the innermost scroller at the area's centre can scroll further. */
  private canScroll(area: ScreenRect, direction: Direction): boolean {
    const vertical = direction === 'up' || direction === 'down'
    const { x, y } = centerOf(area)
    let found: AccessibilityNode['scroll'] = null
    const look = (node: AccessibilityNode): void => {
      const { left, top, right, bottom } = node.bounds
      if (!node.visible || x < left || x >= right || y < top || y >= bottom) return
      if (node.scroll?.direction === (vertical ? 'vertical' : 'horizontal') && node.scroll.limit > 0)
        found = node.scroll
      node.children.forEach(look)
    }
    const window = this.world.accessibilityWindows().find((each) => each.active)
    if (window !== undefined) look(window.root)
    const scroll = found as AccessibilityNode['scroll']
    if (scroll === null) return false
    return direction === 'down' || direction === 'right' ? scroll.offset < scroll.limit : scroll.offset > 0
  }
}

/** Returns the path of a finger that swipes in this direction over this share of the area. */
function strokeOf({ left, top, right, bottom }: ScreenRect, direction: Direction, percent: number): Stroke {
  const { x, y } = centerOf({ left, top, right, bottom })
  const [wide, high] = [(right - left) * percent, (bottom - top) * percent]
  switch (direction) {
    case 'left':
      return { from: { x: right - 1, y }, to: { x: right - 1 - wide, y } }
    case 'right':
      return { from: { x: left, y }, to: { x: left + wide, y } }
    case 'up':
      return { from: { x, y: bottom - 1 }, to: { x, y: bottom - 1 - high } }
    case 'down':
      return { from: { x, y: top }, to: { x, y: top + high } }
  }
}

function checkPercent(percent: number): number {
  if (percent < 0 || percent > 1) throw invalidArgument('Percent must be between 0.0f and 1.0f')
  return percent
}
