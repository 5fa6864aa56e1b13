/**
 * One packet of the ADB transport protocol: data type, writer, reader.
 * Source of the layout: AOSP `packages/modules/adb/protocol.txt` and
 * `types.h`. 24 bytes of header, little-endian: command, arg0, arg1, payload
 * length, payload checksum, command xor 0xffffffff. Used by `connection.ts`.
 */

export const command = {
  cnxn: 0x4e584e43,
  open: 0x4e45504f,
  okay: 0x59414b4f,
  wrte: 0x45545257,
  clse: 0x45534c43,
  auth: 0x48545541,
  stls: 0x534c5453,
} as const

/** First protocol version. */
export const versionMin = 0x01000000
/** From this version on, the checksum is ignored. */
export const versionSkipChecksum = 0x01000001
/** `MAX_PAYLOAD` of adbd. */
export const maxPayloadBytes = 1024 * 1024

const headerBytes = 24

export interface Packet {
  command: number
  arg0: number
  arg1: number
  payload: Buffer
}

/** The other side does not speak ADB or violates the protocol. The connection must be closed. */
export class ProtocolError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** Returns the sum of all bytes, which the protocol calls a CRC. */
function checksum(payload: Buffer): number {
  let sum = 0
  for (const byte of payload) sum += byte
  return sum >>> 0
}

/** Encodes the header of a packet; the payload follows it unchanged. */
export function encodeHeader(packet: Packet, withChecksum: boolean): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(packet.command, 0)
  header.writeUInt32LE(packet.arg0 >>> 0, 4)
  header.writeUInt32LE(packet.arg1 >>> 0, 8)
  header.writeUInt32LE(packet.payload.length, 12)
  header.writeUInt32LE(withChecksum ? checksum(packet.payload) : 0, 16)
  header.writeUInt32LE((packet.command ^ 0xffffffff) >>> 0, 20)
  return header
}

/** Splits a byte stream into packets. Joins the chunks of a payload once, when it is complete. */
export class PacketReader {
  private chunks: Buffer[] = []
  private have = 0
  private header: Buffer | null = null

  /** `checkSums` is called for each packet, because the first packet negotiates the version. */
  constructor(private readonly checkSums: () => boolean) {}

  /** @throws ProtocolError */
  push(chunk: Buffer): Packet[] {
    this.chunks.push(chunk)
    this.have += chunk.length
    const packets: Packet[] = []
    for (let packet = this.next(); packet !== null; packet = this.next()) packets.push(packet)
    return packets
  }

  private next(): Packet | null {
    if (this.header === null) {
      if (this.have < headerBytes) return null
      this.header = this.take(headerBytes)
      checkHeader(this.header)
    }
    const length = this.header.readUInt32LE(12)
    if (this.have < length) return null
    const payload = this.take(length)
    const packet = {
      command: this.header.readUInt32LE(0),
      arg0: this.header.readUInt32LE(4),
      arg1: this.header.readUInt32LE(8),
      payload,
    }
    // The adb server keeps the version of an earlier connection to this phone, so a later CNXN can have no
    // checksum (0).
    const sum = this.header.readUInt32LE(16)
    if (sum !== 0 && this.checkSums() && checksum(payload) !== sum) {
      throw new ProtocolError('payload checksum differs')
    }
    this.header = null
    return packet
  }

  private take(length: number): Buffer {
    const joined = this.chunks.length === 1 ? this.chunks[0] : Buffer.concat(this.chunks)
    if (joined === undefined) return Buffer.alloc(0)
    this.chunks = joined.length > length ? [joined.subarray(length)] : []
    this.have -= length
    return joined.subarray(0, length)
  }
}

function checkHeader(header: Buffer): void {
  if ((header.readUInt32LE(0) ^ 0xffffffff) >>> 0 !== header.readUInt32LE(20)) {
    throw new ProtocolError('bad magic')
  }
  if (header.readUInt32LE(12) > maxPayloadBytes) throw new ProtocolError('payload too large')
}
