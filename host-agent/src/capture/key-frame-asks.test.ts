/** The rate of key frame requests to a phone, for any subscribers and any answers. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeyFrameAsks, type KeyFrameAsks } from './key-frame-asks.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function asker(): { asks: KeyFrameAsks; at: number[]; gaveUp: number[] } {
  const [at, gaveUp]: [number[], number[]] = [[], []]
  const asks = createKeyFrameAsks({
    ask: () => at.push(performance.now()),
    giveUp: () => gaveUp.push(performance.now()),
  })
  return { asks, at, gaveUp }
}

describe('key frame requests', () => {
  it('are not sent for a video that begins with a key frame', () => {
    const { asks, at } = asker()
    asks.begins()
    vi.advanceTimersByTime(500)
    asks.answered()
    vi.advanceTimersByTime(60_000)
    expect(at).toEqual([])
    asks.wanted()
    expect(at).toHaveLength(1)
  })

  it('end the video when they are not answered, and stop when it ends', () => {
    const { asks, at, gaveUp } = asker()
    asks.begins()
    vi.advanceTimersByTime(11_900)
    // The start counts as the first request.
    expect(at).toHaveLength(2)
    expect(gaveUp).toEqual([])
    vi.advanceTimersByTime(200)
    expect(gaveUp).toHaveLength(1)
    asks.ends()
    asks.wanted()
    vi.advanceTimersByTime(60_000)
    expect(at).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are at least a second apart, and no waiter waits longer than the phone takes', () => {
    const step = fc.record({
      afterMs: fc.nat(1500),
      do: fc.constantFrom('wanted' as const, 'answered' as const),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { asks, at } = asker()
        asks.begins()
        asks.answered()
        let waitsSince: number | null = null
        for (const { afterMs, do: what } of steps) {
          vi.advanceTimersByTime(afterMs)
          if (what === 'answered') {
            asks.answered()
            waitsSince = null
            continue
          }
          waitsSince ??= performance.now()
          asks.wanted()
        }
        const now = performance.now()
        // Every waiter of a full second has been requested for since the last answer.
        if (waitsSince !== null && now - waitsSince > 1001)
          expect(at.at(-1)).toBeGreaterThanOrEqual(waitsSince - 1)
        asks.ends()
        return at.every((each, index) => index === 0 || each - (at[index - 1] ?? 0) >= 999)
      }),
      { numRuns: 200 },
    )
  })
})
