import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Stroke } from '../adb/device/device.js'
import { type Bounds } from '../screen/geometry.js'
import { doubleTap, drag, hold, lengthOf, pinch, scroll, swipe, tap } from './gestures.js'

const screen = { width: 1080, height: 2400 }
const point = fc.record({ x: fc.nat(1079), y: fc.nat(2399) })
const area = fc
  .tuple(point, point)
  .map(([a, b]): Bounds => [
    Math.min(a.x, b.x),
    Math.min(a.y, b.y),
    Math.max(a.x, b.x) + 1,
    Math.max(a.y, b.y) + 1,
  ])

const ends = ({ points }: Stroke) => [points[0], points.at(-1)]

/** Whole pixels inside the area, and times that never decrease. */
function expectSound(strokes: readonly Stroke[], [left, top, right, bottom]: Bounds): void {
  const sound = strokes.every(
    ({ points }) =>
      points.length > 1 &&
      points.every(
        ({ x, y, atMs }, index) =>
          [x, y, atMs].every(Number.isInteger) &&
          x >= left &&
          x < right &&
          y >= top &&
          y < bottom &&
          atMs >= (points[index - 1]?.atMs ?? 0),
      ),
  )
  expect(sound).toBe(true)
}

describe('strokes', () => {
  it('taps once, or twice with a pause between', () => {
    expect(ends(tap({ x: 5, y: 6 }))).toEqual([
      { x: 5, y: 6, atMs: 0 },
      { x: 5, y: 6, atMs: 20 },
    ])
    const [first, second] = doubleTap({ x: 5, y: 6 })
    const gap = (second?.points[0]?.atMs ?? 0) - (first?.points.at(-1)?.atMs ?? 0)
    expect(gap).toBeGreaterThanOrEqual(40)
    expect(gap).toBeLessThan(300)
    expect(lengthOf([hold({ x: 1, y: 1 }, 800)])).toBe(800)
  })

  it('swipes between the given points in the given time', () => {
    fc.assert(
      fc.property(point, point, fc.integer({ min: 50, max: 5000 }), (from, to, ms) => {
        const stroke = swipe(from, to, ms)
        expectSound([stroke], [0, 0, 1080, 2400])
        expect(ends(stroke)).toEqual([
          { ...from, atMs: 0 },
          { ...to, atMs: ms },
        ])
      }),
    )
  })

  it('drags with a rest at both ends', () => {
    fc.assert(
      fc.property(point, point, fc.integer({ min: 100, max: 5000 }), (from, to, holdMs) => {
        const stroke = drag(from, to, holdMs, 600)
        expectSound([stroke], [0, 0, 1080, 2400])
        expect(stroke.points.filter(({ atMs }) => atMs <= holdMs)).toEqual([
          { ...from, atMs: 0 },
          { ...from, atMs: holdMs },
        ])
        expect(stroke.points.slice(-2).map(({ x, y }) => ({ x, y }))).toEqual([to, to])
      }),
    )
  })

  it('pinches with two fingers inside the area, by the scale', () => {
    fc.assert(
      fc.property(area, fc.double({ min: 0.1, max: 10, noNaN: true }), (bounds, scale) => {
        const strokes = pinch(bounds, scale, 400)
        expect(strokes).toHaveLength(2)
        expectSound(strokes, bounds)
      }),
    )
    const spread = (scale: number) => {
      const [a, b] = pinch([0, 0, 1000, 400], scale, 400)
      const at = (index: number) => (b?.points.at(index)?.x ?? 0) - (a?.points.at(index)?.x ?? 0)
      return at(-1) / at(0)
    }
    for (const scale of [0.2, 0.5, 2, 5]) expect(Math.abs(spread(scale) / scale - 1)).toBeLessThan(0.05)
  })

  it('scrolls by the amount, inside the container, the finger against the direction [31.28]', () => {
    const direction = fc.constantFrom('up', 'down', 'left', 'right')
    fc.assert(
      fc.property(area, direction, fc.double({ min: 0.1, max: 1, noNaN: true }), (bounds, way, amount) => {
        const strokes = scroll(bounds, way, amount, screen)
        expectSound(strokes, bounds)
        expect(strokes.length).toBeLessThanOrEqual(4)
      }),
    )
    const moved = (way: 'up' | 'down' | 'left' | 'right', amount: number) => {
      const strokes = scroll([0, 200, 1080, 2200], way, amount, screen).map(ends)
      const sum = (axis: 'x' | 'y') =>
        strokes.reduce((total, [from, to]) => total + (to?.[axis] ?? 0) - (from?.[axis] ?? 0), 0)
      return [sum('x'), sum('y')]
    }
    expect(moved('down', 0.6)).toEqual([0, -1200])
    expect(moved('up', 1)).toEqual([0, 2000])
    expect(moved('right', 0.5)).toEqual([-540, 0])
    expect(moved('left', 0.25)).toEqual([270, 0])
  })

  it('avoids the edges, where the system takes swipes', () => {
    for (const { points } of scroll([0, 0, 1080, 2400], 'down', 1, screen))
      for (const { y } of points) expect(y > 140 && y < 2260).toBe(true)
  })
})
