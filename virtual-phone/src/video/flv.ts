/**
 * Splits ffmpeg's FLV output (Adobe, Video File Format Specification 10.1, annex E) into H.264 packets. FLV
 * is used because each of its tags contains its length, so a picture is complete without waiting for the next
 * tag. Used by `encoder.ts`.
 */

export interface VideoPacket {
  /** The packet contains SPS and PPS, and no picture. */
  config: boolean
  key: boolean
  /** NAL units with start codes (H.264 annex B), like MediaCodec's output. */
  data: Buffer
}

const FILE_HEADER_BYTES = 13
const TAG_HEADER_BYTES = 11
const BACK_POINTER_BYTES = 4
const VIDEO = 9
const AVC = 7
const START_CODE = Buffer.from([0, 0, 0, 1])

export class FlvReader {
  private held: Buffer = Buffer.alloc(0)
  private headerRead = false

  /** Returns the packets that `chunk` completes. @throws Error for bytes that are not H.264 in FLV */
  push(chunk: Buffer): VideoPacket[] {
    this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk])
    const packets: VideoPacket[] = []
    if (!this.headerRead) {
      if (this.held.length < FILE_HEADER_BYTES) return packets
      if (this.held.toString('latin1', 0, 3) !== 'FLV') throw new Error('Not an FLV stream')
      this.held = this.held.subarray(FILE_HEADER_BYTES)
      this.headerRead = true
    }
    while (this.held.length >= TAG_HEADER_BYTES) {
      const end = TAG_HEADER_BYTES + this.held.readUIntBE(1, 3)
      if (this.held.length < end + BACK_POINTER_BYTES) break
      const packet =
        this.held.readUInt8(0) === VIDEO ? videoTag(this.held.subarray(TAG_HEADER_BYTES, end)) : null
      if (packet) packets.push(packet)
      this.held = this.held.subarray(end + BACK_POINTER_BYTES)
    }
    return packets
  }
}

function videoTag(body: Buffer): VideoPacket | null {
  const first = body.readUInt8(0)
  if ((first & 0x0f) !== AVC) throw new Error(`FLV codec ${first & 0x0f} is not H.264`)
  const kind = body.readUInt8(1)
  const data = body.subarray(5)
  if (kind === 0) return { config: true, key: false, data: parameterSets(data) }
  if (kind === 1) return { config: false, key: first >> 4 === 1, data: nalUnits(data) }
  return null // End of the sequence.
}

/** Parses an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.2.4.1). */
function parameterSets(record: Buffer): Buffer {
  if ((record.readUInt8(4) & 3) !== 3) throw new Error('FLV with NAL lengths of less than four bytes')
  const units: Buffer[] = []
  let at = 5
  for (const mask of [0x1f, 0xff]) {
    const count = record.readUInt8(at++) & mask
    for (let i = 0; i < count; i++) {
      const length = record.readUInt16BE(at)
      units.push(START_CODE, record.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
  }
  return Buffer.concat(units)
}

/** A length of four bytes precedes each NAL unit. */
function nalUnits(data: Buffer): Buffer {
  const units: Buffer[] = []
  for (let at = 0; at < data.length;) {
    const length = data.readUInt32BE(at)
    units.push(START_CODE, data.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return Buffer.concat(units)
}
