/**
 * Facts of scrcpy 3.3.3 (`SurfaceEncoder`): `repeat-previous-frame-after` 100,000 µs, `i-frame-interval` 10 s, and after a reset a new
 * encoder, so parameter sets and a key frame. Facts of AOSP (`GraphicBufferSource`): at most ten repeats, each exactly one interval
 * after the last frame; a frame that is dropped because of `max-fps-to-encoder` is only kept for a repeat.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextFrame, nothingSeen, type Frame, type Seen } from './frames.js'

/** Milliseconds on the phone, bytes, and `key` or `first`. */
type Given = readonly [ms: number, bytes: number, kind?: 'key' | 'first' | undefined]

/** A frame arrives 20 ms after it was drawn. */
const frameOf = ([ms, bytes, kind]: Given): Frame => ({
  atMs: ms + 20,
  ptsUs: BigInt(Math.round(ms * 1000)),
  bytes,
  isKey: kind !== undefined,
  isFirst: kind === 'first',
})
const seenIn = (stream: readonly Given[], repeats = false): Seen =>
  stream.map(frameOf).reduce((seen, frame) => nextFrame(seen, frame, repeats), nothingSeen)
/** When the last drawing was drawn; null when there is none. */
const drawnIn = (stream: readonly Given[], repeats = false): number | null => {
  const { drawnAt } = seenIn(stream, repeats)
  return drawnAt === -Infinity ? null : drawnAt - 20
}

const first: Given = [0, 9000, 'first']
const steps = (from: number, every: number, count: number, bytes: number): Given[] =>
  Array.from({ length: count }, (_, index) => [from + index * every, bytes] as const)

describe('frames', () => {
  it('say nothing before the first frame of an encoder', () => {
    expect(seenIn([[10, 50]])).toEqual(nothingSeen)
    expect(seenIn([first])).toMatchObject({ knownSince: 20, drawnAt: -Infinity })
  })

  it('are drawings, however small', () => {
    expect(drawnIn([first, [300, 13], [317, 13]])).toBe(317)
  })

  it('are drawings when the interval of key frames makes them key frames', () => {
    expect(drawnIn([first, [10_400, 9000, 'key']])).toBe(10_400)
  })

  it('start again with an encoder, which hides what was drawn while it started', () => {
    const seen = seenIn([first, [300, 800], [700, 9000, 'first']])
    expect(seen).toMatchObject({ knownSince: 720, drawnAt: -Infinity })
  })

  it('are repeats one exact interval after each other, up to ten times', () => {
    const repeats = steps(400, 100, 10, 900)
    expect(drawnIn([first, [300, 800], ...repeats], true)).toBe(300)
    expect(drawnIn([first, [300, 800], ...repeats, [1400, 900]], true)).toBe(1400)
    // The interval is six refreshes of 60 Hz.
    expect(drawnIn([first, [300, 800], [400.02, 900]], true)).toBe(400.02)
    // The motion video has no repeats.
    expect(drawnIn([first, [300, 800], [400, 900]])).toBe(400)
  })

  it('do not count for a blinking cursor, from its second blink on', () => {
    const typed: Given[] = [first, [1000, 400]]
    expect(drawnIn([...typed, [1500, 60]])).toBe(1500)
    expect(drawnIn([...typed, [1500, 60], [2007, 60]])).toBe(1000)
    expect(drawnIn([...typed, ...steps(1500, 503, 40, 60)])).toBe(1000)
    expect(drawnIn([...typed, ...steps(1500, 500, 40, 60), [21_300, 60]])).toBe(21_300)
    const repeated = [1000, 1503, 2009, 2511].flatMap((at) => [
      [at, 60] as const,
      ...steps(at + 100, 100, 4, 60),
    ])
    expect(drawnIn([first, ...repeated], true)).toBe(1000)
  })

  it('count every half second when they are large, or not alone', () => {
    expect(drawnIn([first, ...steps(1000, 500, 10, 5000)])).toBe(5500)
    expect(drawnIn([first, ...steps(1000, 250, 10, 60)])).toBe(3250)
  })

  it('do not count for the clock, from its second minute on', () => {
    expect(drawnIn([first, [5000, 90]])).toBe(5000)
    expect(drawnIn([first, [5000, 90], [65_040, 90]])).toBeNull()
    expect(drawnIn([first, [5000, 90], [30_000, 4000], [65_040, 90]])).toBe(30_000)
    // A drawing a minute after the key of a keyboard was lit.
    expect(drawnIn([first, [5000, 90], [5050, 90], [65_000, 90]])).toBe(65_000)
  })

  it('put the last drawing of any stream at a frame that came, and never before the encoder', () => {
    const given = fc.array(
      fc.tuple(
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.constantFrom<'key' | undefined>('key', undefined, undefined, undefined),
      ),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(given, fc.boolean(), (gaps, repeats) => {
        let at = 0
        const stream = gaps.map(([gap, bytes, kind]): Given => [(at += gap), bytes, kind])
        const drawn = drawnIn([first, ...stream], repeats)
        expect(drawn === null || stream.some(([ms]) => ms === drawn)).toBe(true)
      }),
    )
  })
})
