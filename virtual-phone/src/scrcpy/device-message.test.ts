import { describe, expect, it } from 'vitest'
import { CLIPBOARD_TEXT_MAX_BYTES, truncateUtf8, writeDeviceMessage } from './device-message.js'

describe('device messages of scrcpy 3.3.3, byte for byte', () => {
  it('clipboard', () => {
    expect(writeDeviceMessage({ type: 'clipboard', text: 'ABé' }).toString('hex')).toBe('00000000044142c3a9')
  })

  it('clipboard acknowledgement', () => {
    expect(writeDeviceMessage({ type: 'ack_clipboard', sequence: 0x0102030405060708n }).toString('hex')).toBe(
      '010102030405060708',
    )
  })

  it('uhid output', () => {
    const message = { type: 'uhid_output' as const, id: 4, data: Buffer.from('0102030405', 'hex') }
    expect(writeDeviceMessage(message).toString('hex')).toBe('02000400050102030405')
  })

  it('cuts a clipboard over 256 KiB between characters', () => {
    const out = writeDeviceMessage({ type: 'clipboard', text: 'é'.repeat(200_000) })
    expect(out.readUInt32BE(1)).toBe(CLIPBOARD_TEXT_MAX_BYTES - 1)
    expect(out.subarray(5).toString('utf8')).toMatch(/^é+$/)
    expect(truncateUtf8(Buffer.from('aé'), 2).toString()).toBe('a')
  })
})
