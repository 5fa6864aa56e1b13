/** The frames that a viewer of any speed gets: always decodable, recent and bounded. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { VideoConfig, VideoPacket } from '../../adb/device/capture.js'
import { messagesOf, maxMessageBytes } from './frame-messages.js'
import { ViewerQueue } from './viewer-queue.js'

const configOf = (width: number): VideoConfig => ({
  codec: 'avc1.42c01e',
  parameterSets: Buffer.from([width & 0xff]),
  width,
  height: 100,
})
const frame = (ptsUs: number, isKeyFrame: boolean, bytes = 10): VideoPacket => ({
  data: Buffer.alloc(bytes),
  ptsUs: BigInt(ptsUs),
  isKeyFrame,
})
const limits = { bytes: 1000, age: 500 }

describe('viewer queue', () => {
  it('gives everything to a fast viewer', () => {
    const queue = new ViewerQueue(limits)
    const config = configOf(64)
    expect(queue.needsKeyFrame).toBe(true)
    queue.add(frame(1, false), 0)
    queue.addConfig(config)
    queue.add(frame(2, true), 0)
    queue.add(frame(3, false), 1)
    expect(queue.take(2)).toMatchObject({ config, packet: { ptsUs: 2n } })
    expect(queue.take(2)).toMatchObject({ config: null, packet: { ptsUs: 3n } })
    expect(queue.take(2)).toBeNull()
    expect(queue.needsKeyFrame).toBe(false)
  })

  it.each([
    ['bytes', 600, 1],
    ['age', 10, 600],
  ])(
    'drops frames up to the next key frame when it is over its %s, and still sends the config',
    (_by, bytes, ms) => {
      const queue = new ViewerQueue(limits)
      const config = configOf(64)
      queue.addConfig(config)
      queue.add(frame(1, true, bytes), 0)
      queue.add(frame(2, false, bytes), ms)
      expect(queue.take(ms)).toBeNull()
      expect(queue.needsKeyFrame).toBe(true)
      queue.add(frame(3, false), ms)
      queue.add(frame(4, true), ms)
      queue.add(frame(5, false), ms)
      expect(queue.take(ms)).toMatchObject({ config, packet: { ptsUs: 4n } })
      expect(queue.take(ms)).toMatchObject({ config: null, packet: { ptsUs: 5n } })
    },
  )

  it('holds one frame that is larger than its limit', () => {
    const queue = new ViewerQueue(limits)
    queue.addConfig(configOf(64))
    queue.add(frame(1, true, 5000), 0)
    expect(queue.take(0)?.packet.ptsUs).toBe(1n)
  })

  it('keeps its guarantees for any input', () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant('frame' as const), key: fc.boolean(), bytes: fc.nat(700) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('config' as const), width: fc.integer({ min: 16, max: 20 }) }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(400) }) },
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new ViewerQueue(limits)
        let [now, number, held] = [0, 0, 0]
        let current: VideoConfig | null = null
        let shown: VideoConfig | null = null
        /** The number of the last frame for which all frames since its key frame were received. */
        let last: number | null = null
        const configs = new Map<number, VideoConfig | null>()
        const ats = new Map<number, number>()
        let keyDue = true
        for (const each of steps) {
          if (each.do === 'wait') now += each.ms
          if (each.do === 'config') {
            current = configOf(each.width)
            keyDue = true
            queue.addConfig(current)
          }
          if (each.do === 'frame') {
            // The hub sends a key frame after each config, and no frame before the first config.
            const isKey = each.key || keyDue
            if (!current) continue
            keyDue = false
            number += 1
            configs.set(number, current)
            ats.set(number, now)
            queue.add(frame(number, isKey, each.bytes), now)
          }
          if (each.do === 'take') {
            const due = queue.take(now)
            if (!due) continue
            const got = Number(due.packet.ptsUs)
            if (due.config) shown = due.config
            // A frame is decodable with the right config if it is a key frame or the next frame.
            expect(shown).toBe(configs.get(got))
            if (!due.packet.isKeyFrame) expect(last).toBe(got - 1)
            expect(now - (ats.get(got) ?? 0)).toBeLessThanOrEqual(limits.age)
            last = got
          }
          held = Math.max(held, queue.length)
        }
        return held <= 60
      }),
      { numRuns: 300 },
    )
  })
})

it('cuts large frames into messages of at most 64 KiB, and marks only the last', () => {
  fc.assert(
    fc.property(fc.nat(3 * maxMessageBytes), fc.boolean(), (bytes, isKeyFrame) => {
      const data = Buffer.alloc(bytes, 7)
      const messages = [...messagesOf({ config: null, packet: { data, ptsUs: 5n, isKeyFrame } })]
      const frames = messages.flatMap(({ event }) => (event?.$case === 'frame' ? [event.value] : []))
      expect(Buffer.concat(frames.map((each) => each.data)).equals(data)).toBe(true)
      expect(frames.map(({ last }) => last)).toEqual(frames.map((_, index) => index === frames.length - 1))
      return frames.every((each) => each.data.length <= maxMessageBytes && each.keyFrame === isKeyFrame)
    }),
    { numRuns: 30 },
  )
})
