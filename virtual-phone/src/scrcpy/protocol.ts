/**
 * The differences between the protocol versions. Each folder `v…` implements this interface, and the other
 * files of `scrcpy/` use it.
 */
import { type Size } from '../video/size.js'
import { type ControlMessage, type ReadExactly } from './control-message.js'

export { type Size }

export interface PacketMeta {
  config: boolean
  key: boolean
  /** Microseconds since the phone started. */
  pts: bigint
}

export interface ScrcpyProtocol {
  /** The version in the client's first argument. */
  version: string
  /** Names of video codecs. */
  videoCodecs: readonly string[]
  /** Accepted options without effect here. */
  withoutEffect: ReadonlySet<string>
  /** The option that omits the codec's ID and the sizes. */
  codecMetaOption: string
  /** The value of `max_size` after the server's rounding. */
  readMaxSize: (value: number) => number
  /** The size of the video of a display. */
  videoSize: (display: Size, maxSize: number, minAlignment: number) => Size
  readControlMessage: (read: ReadExactly) => Promise<ControlMessage>
  /** The first bytes of the video, before the first packet. */
  videoHeader: (size: Size) => Buffer
  /**
   * The packet that announces a new encoder session, including the first session; empty when the version has
   * no such packet.
   */
  sessionPacket: (size: Size) => Buffer
  /** The 12 bytes before a packet of `length` bytes. */
  packetHeader: (meta: PacketMeta, length: number) => Buffer
}

export const H264_CODEC_ID = 0x68323634

/** Encodes `flags` and PTS in 64 bits, then the length. */
export function packetHeader(
  flags: { config: bigint; key: bigint },
  meta: PacketMeta,
  length: number,
): Buffer {
  const header = Buffer.alloc(12)
  // A config packet has no timestamp.
  header.writeBigUInt64BE(meta.config ? flags.config : meta.pts | (meta.key ? flags.key : 0n), 0)
  header.writeUInt32BE(length, 8)
  return header
}
