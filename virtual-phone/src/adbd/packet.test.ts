/** Golden bytes of the ADB packet, as adb 29.0.6 sends them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { command, encodeHeader, type Packet, PacketReader, ProtocolError } from './packet.js'

const golden = Buffer.from(
  // OPEN, local 1, remote 0, 14 bytes, checksum 0x55f, magic
  '4f50454e' +
    '01000000' +
    '00000000' +
    '0e000000' +
    '5f050000' +
    'b0afbab1' +
    Buffer.from('shell:echo hi\0').toString('hex'),
  'hex',
)
const packet: Packet = { command: command.open, arg0: 1, arg1: 0, payload: Buffer.from('shell:echo hi\0') }

describe('ADB packet', () => {
  it('is encoded as the protocol defines', () => {
    const sum = [...packet.payload].reduce((a, b) => a + b, 0)
    const bytes = Buffer.concat([encodeHeader(packet, true), packet.payload])
    golden.writeUInt32LE(sum, 16)
    expect(bytes.toString('hex')).toBe(golden.toString('hex'))
  })

  it('is decoded for any chunking of the stream', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 400 }),
        (payloads, step) => {
          const packets = payloads.map((payload, index) => ({
            command: command.wrte,
            arg0: index,
            arg1: 7,
            payload: Buffer.from(payload),
          }))
          const wire = Buffer.concat(packets.flatMap((p) => [encodeHeader(p, true), p.payload]))
          const reader = new PacketReader(() => true)
          const got: Packet[] = []
          for (let at = 0; at < wire.length; at += step)
            got.push(...reader.push(wire.subarray(at, at + step)))
          expect(got).toEqual(packets)
        },
      ),
    )
  })

  it('accepts a packet without a checksum, as a reconnecting server sends it', () => {
    const payload = Buffer.from('host::features=shell_v2')
    const packet = { command: 0x4e584e43, arg0: 0x01000001, arg1: 1 << 20, payload }
    const read = new PacketReader(() => true).push(Buffer.concat([encodeHeader(packet, false), payload]))
    expect(read).toEqual([packet])
  })

  it('refuses a wrong magic, a wrong checksum and a payload over 1 MiB', () => {
    const wrongMagic = Buffer.from(golden)
    wrongMagic[20] = 0
    expect(() => new PacketReader(() => false).push(wrongMagic)).toThrow(ProtocolError)
    const wrongSum = Buffer.from(golden)
    wrongSum[16] = 0
    expect(() => new PacketReader(() => true).push(wrongSum)).toThrow(/checksum/)
    const tooLarge = encodeHeader(packet, false)
    tooLarge.writeUInt32LE(1024 * 1024 + 1, 12)
    expect(() => new PacketReader(() => false).push(tooLarge)).toThrow(/too large/)
  })
})
