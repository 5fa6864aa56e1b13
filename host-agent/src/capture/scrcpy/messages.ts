/**
 * Control messages of scrcpy 3.3.3: `ControlMessage` and `DeviceMessage` of its server,
 * big-endian. Writers for what the agent sends, a reader for the server's answers. Used
 * by `control-socket.ts`.
 */

export const touchActions = { down: 0, up: 1, move: 2, cancel: 3 } as const
export type TouchAction = keyof typeof touchActions
const keyActions = { down: 0, up: 1 } as const

/** Bytes of UTF-8 that the server accepts in one INJECT_TEXT (`INJECT_TEXT_MAX_LENGTH`). */
export const textLimit = 300
/** Bytes of UTF-8 in one SET_CLIPBOARD: the message's 256 KiB less its header. */
export const clipboardLimit = (1 << 18) - 14

/** Builds TYPE_INJECT_KEYCODE, 14 bytes. `repeat`: how often a held key has repeated. */
export function keyMessage(
  action: keyof typeof keyActions,
  keyCode: number,
  metaState: number,
  repeat = 0,
): Buffer {
  const message = Buffer.alloc(14)
  message.writeUInt8(0, 0)
  message.writeUInt8(keyActions[action], 1)
  message.writeInt32BE(keyCode, 2)
  message.writeInt32BE(repeat, 6)
  message.writeInt32BE(metaState, 10)
  return message
}

/** Builds TYPE_INJECT_TEXT. @throws RangeError above `textLimit` bytes */
export function textMessage(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > textLimit) throw new RangeError(`${bytes.length} bytes of text in one message`)
  const message = Buffer.alloc(5 + bytes.length)
  message.writeUInt8(1, 0)
  message.writeUInt32BE(bytes.length, 1)
  bytes.copy(message, 5)
  return message
}

/**
 * Builds TYPE_INJECT_TOUCH_EVENT, 32 bytes: a finger, in device pixels. `size` is the size of the screen; without a
 * video the server uses the point unchanged.
 */
export function touchMessage(
  action: TouchAction,
  pointerId: number,
  point: { x: number; y: number },
  size: { width: number; height: number },
): Buffer {
  const message = Buffer.alloc(32)
  message.writeUInt8(2, 0)
  message.writeUInt8(touchActions[action], 1)
  message.writeBigInt64BE(BigInt(pointerId), 2)
  message.writeInt32BE(Math.round(point.x), 10)
  message.writeInt32BE(Math.round(point.y), 14)
  message.writeUInt16BE(size.width, 18)
  message.writeUInt16BE(size.height, 20)
  message.writeUInt16BE(action === 'up' || action === 'cancel' ? 0 : 0xffff, 22)
  // A finger has no buttons: both fields stay 0.
  return message
}

/** Wheel steps at the maximum of the message's 16-bit field. */
const scrollSteps = 16

/**
 * Builds TYPE_INJECT_SCROLL_EVENT, 21 bytes: wheel steps, positive to the right and up; `point` and `size` as in
 * `touchMessage`.
 */
export function scrollMessage(
  point: { x: number; y: number },
  size: { width: number; height: number },
  horizontal: number,
  vertical: number,
): Buffer {
  const fixed = (steps: number) =>
    Math.max(-0x8000, Math.min(0x7fff, Math.round((steps / scrollSteps) * 0x8000)))
  const message = Buffer.alloc(21)
  message.writeUInt8(3, 0)
  message.writeInt32BE(Math.round(point.x), 1)
  message.writeInt32BE(Math.round(point.y), 5)
  message.writeUInt16BE(size.width, 9)
  message.writeUInt16BE(size.height, 11)
  message.writeInt16BE(fixed(horizontal), 13)
  message.writeInt16BE(fixed(vertical), 15)
  // No buttons.
  return message
}

/** Builds TYPE_GET_CLIPBOARD, with COPY_KEY_NONE. The server does not answer when the clipboard is empty. */
export const getClipboardMessage = (): Buffer => Buffer.from([8, 0])

/** Builds TYPE_SET_CLIPBOARD, which the server acknowledges with the same number (not 0). */
export function setClipboardMessage(sequence: bigint, paste: boolean, text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > clipboardLimit)
    throw new RangeError(`a clipboard message of ${bytes.length} bytes of text`)
  const message = Buffer.alloc(14 + bytes.length)
  message.writeUInt8(9, 0)
  message.writeBigUInt64BE(sequence, 1)
  message.writeUInt8(paste ? 1 : 0, 9)
  message.writeUInt32BE(bytes.length, 10)
  bytes.copy(message, 14)
  return message
}

/** Builds TYPE_ROTATE_DEVICE, which rotates the screen by 90 degrees, permanently. */
export const rotateMessage = (): Buffer => Buffer.from([11])

/**
 * Builds TYPE_RESET_VIDEO, which restarts the encoder. The encoder then sends parameter sets and a key frame, even on a
 * still screen.
 */
export const resetVideoMessage = (): Buffer => Buffer.from([17])

export type DeviceMessage =
  | { type: 'clipboard'; text: string }
  | { type: 'clipboard_ack'; sequence: bigint }
  | { type: 'uhid_output'; id: number; data: Buffer }

/**
 * Takes whole messages off the front of `bytes`.
 * @throws RangeError for a type that 3.3.3 does not have: the rest of the stream is
 * unreadable
 */
export function parseDeviceMessages(bytes: Buffer): { messages: DeviceMessage[]; rest: Buffer } {
  const messages: DeviceMessage[] = []
  let at = 0
  for (;;) {
    const left = bytes.length - at
    if (left < 1) break
    const type = bytes.readUInt8(at)
    if (type === 0) {
      if (left < 5) break
      const length = bytes.readUInt32BE(at + 1)
      if (length > 1 << 18) throw new RangeError(`a clipboard message of ${length} bytes`)
      if (left < 5 + length) break
      messages.push({ type: 'clipboard', text: bytes.toString('utf8', at + 5, at + 5 + length) })
      at += 5 + length
    } else if (type === 1) {
      if (left < 9) break
      messages.push({ type: 'clipboard_ack', sequence: bytes.readBigUInt64BE(at + 1) })
      at += 9
    } else if (type === 2) {
      if (left < 5) break
      const length = bytes.readUInt16BE(at + 3)
      if (left < 5 + length) break
      messages.push({
        type: 'uhid_output',
        id: bytes.readUInt16BE(at + 1),
        data: bytes.subarray(at + 5, at + 5 + length),
      })
      at += 5 + length
    } else {
      throw new RangeError(`device message of type ${type}`)
    }
  }
  return { messages, rest: bytes.subarray(at) }
}
