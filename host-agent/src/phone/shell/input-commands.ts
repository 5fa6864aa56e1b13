/**
 * Touch, keys and text by Android's `input` program, for phones without a scrcpy server.
 * Limits: one finger; coarse paths, since each step is a process (about 200 ms on a
 * phone); text is printable ASCII (`settings/keyboard-text.ts` handles the rest).
 */
import { ApiError, Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { Input, Point, Stroke, TextMethod } from '../../adb/device/device.js'
import { run } from '../../adb/device/run.js'

type TimedPoint = Point & { atMs: number }

type GesturePlan =
  | { kind: 'tap'; point: Point }
  | { kind: 'swipe'; from: Point; to: Point; durationMs: number }
  /** A stroke is played step by step with `input motionevent` (Android 9 and newer). */
  | { kind: 'steps'; points: readonly TimedPoint[] }

/** Maximum pixels that a resting finger moves, and maximum milliseconds of a tap. */
const still = 8
const tapMs = 250
/** Milliseconds between two steps: `input` takes as long on a phone. */
const stepMs = 200

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y)

/** Plans one finger's stroke; exported for tests. */
export function planStroke({ points }: Stroke): GesturePlan {
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) throw new RangeError('a stroke without points')
  const durationMs = last.atMs - first.atMs
  const moves = points.some((point) => distance(first, point) > still)
  if (!moves && durationMs <= tapMs) return { kind: 'tap', point: first }
  if (moves && isEven(points, first, last, durationMs))
    return { kind: 'swipe', from: first, to: last, durationMs }
  const steps: TimedPoint[] = [first]
  for (const point of points) if (point.atMs - (steps.at(-1)?.atMs ?? 0) >= stepMs) steps.push(point)
  if (steps.at(-1) !== last) steps.push(last)
  return { kind: 'steps', points: steps }
}

/** Whether the finger moves straight and evenly from the first to the last point. */
const isEven = (
  points: readonly TimedPoint[],
  first: TimedPoint,
  last: TimedPoint,
  durationMs: number,
): boolean =>
  points.every((point) => {
    const share = durationMs === 0 ? 1 : (point.atMs - first.atMs) / durationMs
    const expected = { x: first.x + (last.x - first.x) * share, y: first.y + (last.y - first.y) * share }
    return distance(point, expected) <= Math.max(still, distance(first, last) * 0.1) || point === first
  })

const px = (value: number): string => String(Math.round(value))

/** Bits of `KeyEvent`'s meta state, each with the key that is held for the bit. */
const modifiers = [
  { bit: 0x1, keyCode: '59' },
  { bit: 0x2, keyCode: '57' },
  { bit: 0x1000, keyCode: '113' },
  { bit: 0x10000, keyCode: '117' },
] as const

export function createCommandInput(transport: Transport): Input {
  const input = (progress: Progress, ...args: string[]) => run(transport, command('input', ...args), progress)

  async function steps(points: readonly TimedPoint[], progress: Progress): Promise<void> {
    const start = performance.now()
    let at: Point | null = null
    try {
      for (const point of points) {
        const wait = point.atMs - (performance.now() - start)
        if (wait > 1) await progress.sleep(wait, 'gesture')
        await input(progress, 'motionevent', at === null ? 'DOWN' : 'MOVE', px(point.x), px(point.y))
        at = point
      }
    } finally {
      // Lifts the finger even after a failure.
      if (at) await input(Progress.for(3000), 'motionevent', 'UP', px(at.x), px(at.y))
    }
  }

  return {
    async gesture(strokes, progress) {
      const [stroke, second] = strokes
      if (second) {
        throw new ApiError('feature_unavailable', {
          message: 'This phone supports only one finger at a time.',
          details: { feature: 'multi_touch' },
        })
      }
      if (!stroke) return
      const plan = planStroke(stroke)
      if (plan.kind === 'tap') await input(progress, 'tap', px(plan.point.x), px(plan.point.y))
      else if (plan.kind === 'steps') await steps(plan.points, progress)
      else {
        const { from, to } = plan
        await input(progress, 'swipe', px(from.x), px(from.y), px(to.x), px(to.y), px(plan.durationMs))
      }
    },
    async key(keyCode, metaState, progress) {
      const held = modifiers.filter(({ bit }) => (metaState & bit) !== 0).map((modifier) => modifier.keyCode)
      if (held.length > 0) await input(progress, 'keycombination', ...held, String(keyCode))
      else await input(progress, 'keyevent', String(keyCode))
    },
  }
}

/** `input text` types `%s` as a space. A literal `%s` is split into two commands. */
export const inputTextParts = (text: string): string[] =>
  text
    .split(/(?<=%)(?=s)/)
    .filter((part) => part !== '')
    .map((part) => part.replaceAll(' ', '%s'))

/**
 * `newlines`: types line feeds as enter keys, which leave a single-line field; for phones without a better
 * method.
 */
export function createCommandText(transport: Transport, newlines: boolean): TextMethod {
  const allowed = newlines ? /^[\x20-\x7e\n]*$/ : /^[\x20-\x7e]*$/
  return {
    name: 'input-text',
    mode: 'insert',
    accepts: (text) => allowed.test(text),
    limitMs: (text) => 10_000 + text.length * 10,
    async send(text, _field, progress) {
      for (const [index, line] of text.split('\n').entries()) {
        if (index > 0) await run(transport, command('input', 'keyevent', '66'), progress)
        for (const part of inputTextParts(line))
          await run(transport, command('input', 'text', part), progress)
      }
      return { sure: true, release: () => Promise.resolve() }
    },
  }
}
