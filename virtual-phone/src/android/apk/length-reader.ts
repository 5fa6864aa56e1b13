/**
 * Reads length-prefixed values (32 bits, little-endian), the format of signing blocks. Used by
 * `signature.ts`.
 */
export class LengthReader {
  constructor(
    private readonly bytes: Buffer,
    private at = 0,
  ) {}

  /** @throws RangeError when the bytes end earlier */
  next(): Buffer {
    const length = this.bytes.readUInt32LE(this.at)
    const start = this.at + 4
    if (start + length > this.bytes.length) throw new RangeError('length runs over the end')
    this.at = start + length
    return this.bytes.subarray(start, this.at)
  }

  skip(count: number): void {
    this.at += count
  }

  all(): Buffer[] {
    const parts: Buffer[] = []
    while (this.at < this.bytes.length) parts.push(this.next())
    return parts
  }
}
