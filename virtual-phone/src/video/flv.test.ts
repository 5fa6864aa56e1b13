import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FlvReader, type VideoPacket } from './flv.js'

/**
 * The bytes are written by hand from the specification: header, script tag, configuration, key frame, frame,
 * end of sequence.
 */
const STREAM = Buffer.from(
  [
    '464c5601 01 00000009 00000000',
    '12 000003 000000 00 000000 020000 0000000e',
    '09 000017 000000 00 000000 17 00 000000 01 42c01e ff e1 0004 6742c01e 01 0003 68ce3c 00000022',
    '09 00000f 000000 00 000000 17 01 000000 00000002 6588 00000000 0000001a',
    '09 00000b 000021 00 000000 27 01 000000 00000002 4199 00000016',
    '09 000005 000021 00 000000 17 02 000000 00000010',
  ]
    .join('')
    .replace(/\s/g, ''),
  'hex',
)
const PACKETS: VideoPacket[] = [
  { config: true, key: false, data: Buffer.from('000000016742c01e0000000168ce3c', 'hex') },
  { config: false, key: true, data: Buffer.from('00000001658800000001', 'hex') },
  { config: false, key: false, data: Buffer.from('000000014199', 'hex') },
]

describe('H.264 in FLV', () => {
  it('is split the same for any chunking', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (lengths) => {
        const reader = new FlvReader()
        const packets: VideoPacket[] = []
        for (let at = 0, i = 0; at < STREAM.length; i++) {
          const end = at + (lengths[i % lengths.length] ?? 1)
          packets.push(...reader.push(STREAM.subarray(at, end)))
          at = end
        }
        expect(packets).toEqual(PACKETS)
      }),
    )
  })

  it('refuses data that is not FLV, and another codec', () => {
    expect(() => new FlvReader().push(Buffer.alloc(20, 1))).toThrow('Not an FLV stream')
    const other = Buffer.concat([
      STREAM.subarray(0, 13),
      Buffer.from('09000005000000000000001200000000 00000010'.replace(' ', ''), 'hex'),
    ])
    expect(() => new FlvReader().push(other)).toThrow('FLV codec 2 is not H.264')
  })
})
