/**
 * One packet of the shell protocol, version 2: id (1 byte), length (u32
 * little-endian), data. Source: AOSP `shell_protocol.h`. Used by
 * `shell-service.ts`, both ways.
 */

export const shellId = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  exit: 3,
  closeStdin: 4,
  windowSizeChange: 5,
  invalid: 255,
} as const

interface ShellPacket {
  id: number
  data: Buffer
}

const headerBytes = 5

export function encodeShellPacket(packet: ShellPacket): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt8(packet.id, 0)
  header.writeUInt32LE(packet.data.length, 1)
  return Buffer.concat([header, packet.data])
}

/**
 * Splits the stream into packets. Forwards the data of a packet as it arrives, without waiting for the
 * packet's end.
 */
export class ShellPacketReader {
  private header = Buffer.alloc(0)
  private id = 0
  private missing = 0

  push(chunk: Buffer): ShellPacket[] {
    const packets: ShellPacket[] = []
    let rest = chunk
    while (rest.length > 0) {
      if (this.missing === 0) {
        const need = headerBytes - this.header.length
        this.header = Buffer.concat([this.header, rest.subarray(0, need)])
        rest = rest.subarray(need)
        if (this.header.length < headerBytes) break
        this.id = this.header.readUInt8(0)
        this.missing = this.header.readUInt32LE(1)
        this.header = Buffer.alloc(0)
        if (this.missing === 0) packets.push({ id: this.id, data: Buffer.alloc(0) })
        continue
      }
      const data = rest.subarray(0, this.missing)
      packets.push({ id: this.id, data })
      this.missing -= data.length
      rest = rest.subarray(data.length)
    }
    return packets
  }
}
