import { describe, expect, it } from 'vitest'
import { ControlProtocolError, type ControlMessage } from '../control-message.js'
import { protocol } from './index.js'

/** Reads one message and checks that it consumed exactly all bytes. */
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

describe('control messages of scrcpy 3.3.3, byte for byte', () => {
  it.each<[string, string, ControlMessage]>([
    [
      'inject keycode',
      '00 01 00000042 00000005 00000041',
      { type: 'inject_keycode', action: 1, keycode: 66, repeat: 5, metaState: 0x41 },
    ],
    ['inject text', '01 0000000d 68656c6c6f2c20776f726c6421', { type: 'inject_text', text: 'hello, world!' }],
    [
      'inject touch event',
      '02 00 1234567887654321 00000064 000000c8 0438 0780 ffff 00000001 00000001',
      {
        type: 'inject_touch_event',
        action: 0,
        pointerId: 0x1234567887654321n,
        position: { x: 100, y: 200, screenWidth: 1080, screenHeight: 1920 },
        pressure: 1,
        actionButton: 1,
        buttons: 1,
      },
    ],
    [
      'inject touch event of the mouse, half pressed, left of the screen',
      '02 02 ffffffffffffffff ffffffff 000000c8 0438 0780 8000 00000000 00000000',
      {
        type: 'inject_touch_event',
        action: 2,
        pointerId: -1n,
        position: { x: -1, y: 200, screenWidth: 1080, screenHeight: 1920 },
        pressure: 0.5,
        actionButton: 0,
        buttons: 0,
      },
    ],
    [
      'inject scroll event',
      '03 00000104 00000402 0438 0780 0800 f800 00000001',
      {
        type: 'inject_scroll_event',
        position: { x: 260, y: 1026, screenWidth: 1080, screenHeight: 1920 },
        horizontal: 1,
        vertical: -1,
        buttons: 1,
      },
    ],
    ['back or screen on', '04 01', { type: 'back_or_screen_on', action: 1 }],
    ['expand notification panel', '05', { type: 'expand_notification_panel' }],
    ['expand settings panel', '06', { type: 'expand_settings_panel' }],
    ['collapse panels', '07', { type: 'collapse_panels' }],
    ['get clipboard', '08 01', { type: 'get_clipboard', copyKey: 'copy' }],
    [
      'set clipboard',
      '09 0102030405060708 01 00000004 61c3a962',
      { type: 'set_clipboard', sequence: 0x0102030405060708n, paste: true, text: 'aéb' },
    ],
    [
      'set an empty clipboard',
      '09 0000000000000000 00 00000000',
      { type: 'set_clipboard', sequence: 0n, paste: false, text: '' },
    ],
    ['set display power', '0a 01', { type: 'set_display_power', on: true }],
    ['rotate device', '0b', { type: 'rotate_device' }],
    [
      'uhid create',
      '0c 002a 1234 5678 03 414243 000b 0102030405060708090a0b',
      {
        type: 'uhid_create',
        id: 42,
        vendorId: 0x1234,
        productId: 0x5678,
        name: 'ABC',
        reportDescriptor: Buffer.from('0102030405060708090a0b', 'hex'),
      },
    ],
    [
      'uhid input',
      '0d 002a 0005 0102030405',
      { type: 'uhid_input', id: 42, data: Buffer.from('0102030405', 'hex') },
    ],
    ['uhid destroy', '0e 002a', { type: 'uhid_destroy', id: 42 }],
    ['open hard keyboard settings', '0f', { type: 'open_hard_keyboard_settings' }],
    ['start app', '10 07 66697265666f78', { type: 'start_app', name: 'firefox' }],
    ['reset video', '11', { type: 'reset_video' }],
  ])('%s', async (_name, hex, message) => {
    expect(await read(hex)).toEqual(message)
  })

  it('refuses a type that 3.3.3 does not define', async () => {
    await expect(read('12')).rejects.toThrow(ControlProtocolError)
  })
})
