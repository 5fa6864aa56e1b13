/**
 * Conversion of video for Media Source Extensions on a page without WebCodecs; real browsers play
 * it in `e2e`.
 */
import fc from 'fast-check'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { joined, unitsOf } from './page/annex-b.js'
import { Fragments, ticksPerSecond } from './page/fragments.js'
import type { MuxGenerator } from './page/mux.js'

const mux = createRequire(import.meta.url)('mux.js/dist/mux-mp4.min.js') as { generator: MuxGenerator }

const bytes = (...values: number[]) => new Uint8Array(values)
const [sps, pps] = [bytes(0x67, 0x42, 0xc0, 0x1f, 0xda), bytes(0x68, 0xce, 0x3c, 0x80)]
const config = (...units: Uint8Array[]) => ({
  type: 'config' as const,
  codec: 'avc1.42c01f',
  width: 576,
  height: 1280,
  parameterSets: joined(units.flatMap((unit) => [bytes(0, 0, 0, 1), unit])),
})

/** The boxes of an MP4 file, by path. */
function boxesOf(file: Uint8Array, path = ''): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  for (let at = 0; at < file.length; at += view.getUint32(at)) {
    const name = `${path}/${String.fromCharCode(...file.subarray(at + 4, at + 8))}`
    const content = file.subarray(at + 8, at + view.getUint32(at))
    found.set(name, content)
    if (/(moov|mvex|moof|traf)$/.test(name))
      for (const [inner, each] of boxesOf(content, name)) found.set(inner, each)
  }
  return found
}

describe('NAL units behind start codes', () => {
  it('are split at start codes and padding zeros', () => {
    // A unit contains no start code, and neither begins nor ends with zero.
    const unit = fc.array(fc.integer({ min: 2, max: 255 }), { minLength: 1, maxLength: 30 })
    const gap = fc.nat(4)
    fc.assert(
      fc.property(fc.array(fc.tuple(gap, unit), { maxLength: 8 }), gap, (parts, end) => {
        const stream = parts.flatMap(([zeros, each]) => [...Array<number>(zeros).fill(0), 0, 0, 1, ...each])
        const found = unitsOf(bytes(...stream, ...Array<number>(parts.length > 0 ? end : 0).fill(0)))
        expect(found.map((each) => [...each])).toEqual(parts.map(([, each]) => each))
      }),
    )
  })

  it('may contain zeros and ones that are not start codes', () => {
    expect(unitsOf(bytes(0, 0, 1, 5, 0, 1, 0, 0, 3, 1, 7))).toEqual([bytes(5, 0, 1, 0, 0, 3, 1, 7)])
  })
})

describe('fragments', () => {
  it('begin with the parameter sets, without a duration', () => {
    const head = boxesOf(new Fragments(mux.generator, config(sps, pps)).head())
    expect([...head.keys()]).toEqual(expect.arrayContaining(['/ftyp', '/moov', '/moov/mvhd', '/moov/trak']))
    // With a duration, browsers would buffer frames before showing the first.
    expect(head.has('/moov/mvex/mehd')).toBe(false)
    expect([...(head.get('/moov/mvhd') ?? [])].slice(16, 20)).toEqual([255, 255, 255, 255])
    const text = Buffer.from(head.get('/moov/trak') ?? []).toString('latin1')
    for (const set of [sps, pps]) expect(text).toContain(Buffer.from(set).toString('latin1'))
  })

  it('contain one frame each: its time, and its length-prefixed units', () => {
    const fragments = new Fragments(mux.generator, config(sps, pps))
    const at = 12 * 3600 * ticksPerSecond
    const data = bytes(0, 0, 0, 1, 9, 0x10, 0, 0, 1, 0x65, 1, 2)
    const boxes = boxesOf(fragments.picture({ at, duration: 1800, isKeyFrame: true, data }))
    expect(boxes.get('/mdat')).toEqual(bytes(0, 0, 0, 2, 9, 0x10, 0, 0, 0, 3, 0x65, 1, 2))
    const time = boxes.get('/moof/traf/tfdt')
    expect(time && Number(new DataView(time.buffer, time.byteOffset).getBigUint64(4))).toBe(at)
  })

  it('need both parameter sets', () => {
    for (const some of [[sps], [pps], []])
      expect(() => new Fragments(mux.generator, config(...some))).toThrow('missing')
  })
})
