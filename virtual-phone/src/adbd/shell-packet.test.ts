/** Golden bytes of the shell protocol, version 2. */
import { describe, expect, it } from 'vitest'
import { encodeShellPacket, shellId, ShellPacketReader } from './shell-packet.js'

describe('shell packet', () => {
  it('is encoded as the protocol defines', () => {
    expect(encodeShellPacket({ id: shellId.stdout, data: Buffer.from('hi\n') }).toString('hex')).toBe(
      '010300000068690a',
    )
    expect(encodeShellPacket({ id: shellId.exit, data: Buffer.from([127]) }).toString('hex')).toBe(
      '03010000007f',
    )
  })

  it('has the ID of AOSP shell_protocol.h for each kind', () => {
    const golden: Record<keyof typeof shellId, string> = {
      stdin: '00010000002a',
      stdout: '01010000002a',
      stderr: '02010000002a',
      exit: '03010000002a',
      closeStdin: '04010000002a',
      windowSizeChange: '05010000002a',
      invalid: 'ff010000002a',
    }
    const written = Object.entries(shellId).map(([name, id]) => [
      name,
      encodeShellPacket({ id, data: Buffer.from('*') }).toString('hex'),
    ])
    expect(Object.fromEntries(written)).toEqual(golden)
  })

  it('is decoded for any chunking, including empty data', () => {
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
