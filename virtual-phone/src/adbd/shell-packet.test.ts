/** Golden bytes of the shell protocol, version 2. */
import { describe, expect, it } from 'vitest'
import { encodeShellPacket, shellId, ShellPacketReader } from './shell-packet.js'

describe('shell packet', () => {
  it('is written as the protocol says', () => {
    expect(encodeShellPacket({ id: shellId.stdout, data: Buffer.from('hi\n') }).toString('hex')).toBe(
      '010300000068690a',
    )
    expect(encodeShellPacket({ id: shellId.exit, data: Buffer.from([127]) }).toString('hex')).toBe(
      '03010000007f',
    )
  })

  it('is read from any cutting, with empty data too', () => {
    const wire = Buffer.from('00' + '03000000' + '616263' + '04' + '00000000', 'hex')
    for (let step = 1; step <= wire.length; step++) {
      const reader = new ShellPacketReader()
      let text = ''
      let closed = false
      for (let at = 0; at < wire.length; at += step) {
        for (const packet of reader.push(wire.subarray(at, at + step))) {
          if (packet.id === shellId.stdin) text += packet.data.toString()
          if (packet.id === shellId.closeStdin) closed = true
        }
      }
      expect([text, closed]).toEqual(['abc', true])
    }
  })
})
