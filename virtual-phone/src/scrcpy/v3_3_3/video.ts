/** Sizes and framing of the video of scrcpy 3.3.3 (`Size`, `Streamer`). */
import { H264_CODEC_ID, packetHeader, type PacketMeta, type Size } from '../protocol.js'

const FLAGS = { config: 1n << 63n, key: 1n << 62n }

/**
 * Returns the size with the longer side within `maxSize` (0 for any size), and both sides multiples of 8: the longer
 * side rounded down, and the shorter side to the nearest multiple.
 */
export function videoSize(display: Size, maxSize: number): Size {
  const portrait = display.height > display.width
  let major = portrait ? display.height : display.width
  let minor = portrait ? display.width : display.height
  if (maxSize > 0 && major > maxSize) {
    minor = Math.floor((maxSize * minor) / major)
    major = maxSize
  }
  if (major % 8 !== 0 || minor % 8 !== 0) {
    major -= major % 8
    minor = Math.min(major, Math.floor((minor + 4) / 8) * 8)
  }
  return portrait ? { width: minor, height: major } : { width: major, height: minor }
}

/** Encodes codec, width and height. A later size is announced only by the new SPS. */
export function videoHeader(size: Size): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt32BE(H264_CODEC_ID, 0)
  header.writeUInt32BE(size.width, 4)
  header.writeUInt32BE(size.height, 8)
  return header
}

export const videoPacketHeader = (meta: PacketMeta, length: number): Buffer =>
  packetHeader(FLAGS, meta, length)
