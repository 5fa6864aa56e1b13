/** Device messages, phone to client, as scrcpy 3.3.3 writes them (`DeviceMessageWriter`). Used by `server.ts`. */

export type DeviceMessage =
  | { type: 'clipboard'; text: string }
  | { type: 'ack_clipboard'; sequence: bigint }
  | { type: 'uhid_output'; id: number; data: Buffer }

/** A whole message is at most 256 KiB, of which type and length use five bytes. */
export const CLIPBOARD_TEXT_MAX_BYTES = (1 << 18) - 5

/** Cuts UTF-8 to at most `limit` bytes without cutting a character. */
export function truncateUtf8(raw: Buffer, limit: number): Buffer {
  if (raw.length <= limit) return raw
  let end = limit
  while (end > 0 && ((raw[end] ?? 0) & 0xc0) === 0x80) end--
  return raw.subarray(0, end)
}

export function writeDeviceMessage(message: DeviceMessage): Buffer {
  switch (message.type) {
    case 'clipboard': {
      const text = truncateUtf8(Buffer.from(message.text, 'utf8'), CLIPBOARD_TEXT_MAX_BYTES)
      const head = Buffer.alloc(5)
      head.writeUInt8(0, 0)
      head.writeUInt32BE(text.length, 1)
      return Buffer.concat([head, text])
    }
    case 'ack_clipboard': {
      const out = Buffer.alloc(9)
      out.writeUInt8(1, 0)
      out.writeBigUInt64BE(message.sequence, 1)
      return out
    }
    case 'uhid_output': {
      const head = Buffer.alloc(5)
      head.writeUInt8(2, 0)
      head.writeUInt16BE(message.id, 1)
      head.writeUInt16BE(message.data.length, 3)
      return Buffer.concat([head, message.data])
    }
  }
}
