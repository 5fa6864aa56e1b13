/** Sizes and framing of the video of scrcpy 4.1 (`Size`, `VideoConstraints`, `Streamer`). */
import { H264_CODEC_ID, packetHeader, type PacketMeta, type Size } from '../protocol.js'

const FLAGS = { config: 1n << 62n, key: 1n << 61n }
const SESSION = 0x80000000
/** The alignment that the phone's encoder requires, since 4:2:0 has half the columns and rows of colour. */
const ENCODER_ALIGNMENT = 2

/**
 * Returns the size within `maxSize` (0 for any size) with the same aspect ratio, both sides rounded down to the
 * alignment.
 */
export function videoSize(display: Size, maxSize: number, minAlignment: number): Size {
  let { width, height } = display
  const major = Math.max(width, height)
  if (maxSize > 0 && major > maxSize) {
    width = Math.floor((width * maxSize) / major)
    height = Math.floor((height * maxSize) / major)
  }
  const alignment = Math.max(ENCODER_ALIGNMENT, minAlignment)
  const align = (value: number): number => Math.max(alignment, value - (value % alignment))
  return { width: align(width), height: align(height) }
}

/** Only the codec, since the size is in the session packet. */
export function videoHeader(): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt32BE(H264_CODEC_ID, 0)
  return header
}

/**
 * Encodes the packet that is sent at each start of the encoder. The lowest flag, "resized by the client", is only for
 * virtual displays.
 */
export function sessionPacket(size: Size): Buffer {
  const packet = Buffer.alloc(12)
  packet.writeUInt32BE(SESSION, 0)
  packet.writeUInt32BE(size.width, 4)
  packet.writeUInt32BE(size.height, 8)
  return packet
}

export const videoPacketHeader = (meta: PacketMeta, length: number): Buffer =>
  packetHeader(FLAGS, meta, length)
