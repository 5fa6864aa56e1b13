/** Compares the bytes and times of a running recording with the format specifications. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { configurationTag, fileHeader, markTag, pictureTag, readContents } from './flv.js'
import { decoderConfiguration, withLengths } from './h264.js'
import { startTimeline } from './timeline.js'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

it('NAL units get their length instead of a start code', () => {
  expect(withLengths(hex('00000001 6501 000001 41'))).toEqual(hex('00000002 6501 00000001 41'))
})

it('the decoder configuration has profile, level and parameter sets', () => {
  const sets = hex('00000001 6742c00a 11 00000001 68ce 22')
  expect(decoderConfiguration(sets)).toEqual(hex('01 42c00a ff e1 0005 6742c00a11 01 0003 68ce22'))
  expect(decoderConfiguration(hex('00000001 6742c00a'))).toBeNull()
})

it('tags carry their time in 32 bits and their length twice', () => {
  expect(fileHeader).toEqual(hex('464c5601 01 00000009 00000000'))
  expect(markTag(0x01020304)).toEqual(hex('12 000000 020304 01 000000 0000000b'))
  expect(pictureTag(hex('aabb'), true, 5)).toEqual(
    hex('09 000007 000005 00 000000 17 01 000000 aabb 00000012'),
  )
  expect(configurationTag(hex('01'), 5)).toEqual(hex('09 000006 000005 00 000000 17 00 000000 01 00000011'))
})

it('a file that ends anywhere is read up to its last complete tag', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'phonerack-flv-'))
  try {
    const parts = [
      configurationTag(hex('01'), 0),
      pictureTag(hex('aabb'), true, 0),
      pictureTag(hex('cc'), false, 40),
      markTag(540),
    ]
    const whole = Buffer.concat([fileHeader, ...parts])
    const path = join(dir, 'raw')
    for (let bytes = fileHeader.length; bytes <= whole.length; bytes += 1) {
      writeFileSync(path, whole.subarray(0, bytes))
      let at = fileHeader.length
      const kept = parts.filter((part) => (at += part.length) <= bytes)
      const { completeBytes, ...found } = await readContents(path)
      expect(completeBytes).toBe(fileHeader.length + Buffer.concat(kept).length)
      expect(found).toEqual({
        configurations: Math.min(kept.length, 1),
        pictures: Math.min(Math.max(kept.length - 1, 0), 2),
        lastPictureMs: kept.length >= 3 ? 40 : 0,
        endMs: kept.length === 4 ? 540 : kept.length === 3 ? 40 : 0,
      })
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

it('picture times increase, and no picture is after the end', () => {
  const step = fc.record({
    phoneMs: fc.integer({ min: 0, max: 5000 }),
    oursMs: fc.integer({ min: 0, max: 5000 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const timeline = startTimeline(7_000_000n, 100)
      let [last, phone, ours] = [0, 7000, 100]
      for (const { phoneMs, oursMs } of steps) {
        phone += phoneMs
        ours += oursMs
        const at = timeline.picture(BigInt(phone) * 1000n, ours)
        expect(at).toBeGreaterThan(last)
        // Times are at most a second ahead of the agent's clock, except for pictures that all arrive
        // together.
        expect(at).toBeLessThanOrEqual(Math.max(last + 1, ours - 100 + 1001))
        last = at
        expect(timeline.shownUntil(ours)).toBeGreaterThan(last)
      }
    }),
  )
})
