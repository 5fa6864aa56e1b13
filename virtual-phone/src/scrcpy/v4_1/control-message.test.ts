import { describe, expect, it } from 'vitest'
import { ControlProtocolError, type ControlMessage } from '../control-message.js'
import { protocol } from './index.js'

async function read(hex: string): Promise<ControlMessage> {
  const bytes = Buffer.from(hex.replace(/\s/g, ''), 'hex')
  let at = 0
  const message = await protocol.readControlMessage((length) => {
    const part = bytes.subarray(at, at + length)
    if (part.length < length) return Promise.reject(new Error('too short'))
    at += length
    return Promise.resolve(part)
  })
  expect(at).toBe(bytes.length)
  return message
}

describe('control messages that scrcpy 4.1 adds to 3.3.3, byte for byte', () => {
  it.each<[string, string, ControlMessage]>([
    ['camera torch', '12 01', { type: 'camera_set_torch', on: true }],
    ['camera zoom in', '13', { type: 'camera_zoom_in' }],
    ['camera zoom out', '14', { type: 'camera_zoom_out' }],
    ['resize display', '15 0438 0780', { type: 'resize_display', width: 1080, height: 1920 }],
    ['scan file', '16 00000007 2f612fc3a92e70', { type: 'scan_file', path: '/a/é.p' }],
    ['reset video, as before', '11', { type: 'reset_video' }],
  ])('%s', async (_name, hex, message) => {
    expect(await read(hex)).toEqual(message)
  })

  it('refuses a type that 4.1 does not define', async () => {
    await expect(read('17')).rejects.toThrow(ControlProtocolError)
  })
})
