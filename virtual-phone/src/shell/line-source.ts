/**
 * Reads lines from a byte source and leaves the remaining bytes for the next reader: for `read`, and for a
 * shell that reads its script.
 */
import type { ByteSource } from '../android/streams.js'

export class LineSource implements ByteSource {
  private rest: Buffer = Buffer.alloc(0)

  constructor(private readonly source: ByteSource) {}

  async read(): Promise<Buffer | null> {
    if (this.rest.length === 0) return this.source.read()
    const chunk = this.rest
    this.rest = Buffer.alloc(0)
    return chunk
  }

  /** Returns a line with its newline, if the line has one; null at the end. */
  async readLine(): Promise<Buffer | null> {
    const parts: Buffer[] = []
    for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) {
      const end = chunk.indexOf(10)
      if (end === -1) {
        parts.push(chunk)
        continue
      }
      this.rest = chunk.subarray(end + 1)
      parts.push(chunk.subarray(0, end + 1))
      break
    }
    return parts.length === 0 ? null : Buffer.concat(parts)
  }
}
