/** Reads control messages as scrcpy 3.3.3 does (`ControlMessageReader`). */
import {
  ControlProtocolError,
  readBytes,
  readString,
  type ControlMessage,
  type Position,
  type ReadExactly,
} from '../control-message.js'

function position(data: Buffer, at: number): Position {
  return {
    x: data.readInt32BE(at),
    y: data.readInt32BE(at + 4),
    screenWidth: data.readUInt16BE(at + 8),
    screenHeight: data.readUInt16BE(at + 10),
  }
}

/** Converts signed 16-bit fixed point, whose range here is -16 to 16 notches. */
function scrollAmount(raw: number): number {
  return (raw === 0x7fff ? 1 : raw / 0x8000) * 16
}

const COPY_KEYS = ['none', 'copy', 'cut'] as const
const EMPTY_TYPES: Readonly<Record<number, ControlMessage>> = {
  5: { type: 'expand_notification_panel' },
  6: { type: 'expand_settings_panel' },
  7: { type: 'collapse_panels' },
  11: { type: 'rotate_device' },
  15: { type: 'open_hard_keyboard_settings' },
  17: { type: 'reset_video' },
}

/** Reads the rest of a message whose type byte was read. @throws ControlProtocolError for a type that 3.3.3 does not have */
export async function readBody(type: number, read: ReadExactly): Promise<ControlMessage> {
  const empty = EMPTY_TYPES[type]
  if (empty) return empty
  switch (type) {
    case 0: {
      const data = await read(13)
      return {
        type: 'inject_keycode',
        action: data.readUInt8(0),
        keycode: data.readInt32BE(1),
        repeat: data.readInt32BE(5),
        metaState: data.readInt32BE(9),
      }
    }
    case 1:
      return { type: 'inject_text', text: await readString(read, 4) }
    case 2: {
      const data = await read(31)
      const pressure = data.readUInt16BE(21)
      return {
        type: 'inject_touch_event',
        action: data.readUInt8(0),
        pointerId: data.readBigInt64BE(1),
        position: position(data, 9),
        pressure: pressure === 0xffff ? 1 : pressure / 0x10000,
        actionButton: data.readInt32BE(23),
        buttons: data.readInt32BE(27),
      }
    }
    case 3: {
      const data = await read(20)
      return {
        type: 'inject_scroll_event',
        position: position(data, 0),
        horizontal: scrollAmount(data.readInt16BE(12)),
        vertical: scrollAmount(data.readInt16BE(14)),
        buttons: data.readInt32BE(16),
      }
    }
    case 4:
      return { type: 'back_or_screen_on', action: (await read(1)).readUInt8(0) }
    case 8:
      return { type: 'get_clipboard', copyKey: COPY_KEYS[(await read(1)).readUInt8(0)] ?? 'cut' }
    case 9: {
      const head = await read(9)
      const text = await readString(read, 4)
      return {
        type: 'set_clipboard',
        sequence: head.readBigUInt64BE(0),
        paste: head.readUInt8(8) !== 0,
        text,
      }
    }
    case 10:
      return { type: 'set_display_power', on: (await read(1)).readUInt8(0) !== 0 }
    case 12: {
      const head = await read(6)
      const name = await readString(read, 1)
      const [id, vendorId, productId] = [head.readUInt16BE(0), head.readUInt16BE(2), head.readUInt16BE(4)]
      return {
        type: 'uhid_create',
        id,
        vendorId,
        productId,
        name,
        reportDescriptor: await readBytes(read, 2),
      }
    }
    case 13: {
      const id = (await read(2)).readUInt16BE(0)
      return { type: 'uhid_input', id, data: await readBytes(read, 2) }
    }
    case 14:
      return { type: 'uhid_destroy', id: (await read(2)).readUInt16BE(0) }
    case 16:
      return { type: 'start_app', name: await readString(read, 1) }
    default:
      throw new ControlProtocolError(`Unknown event type: ${type}`)
  }
}
