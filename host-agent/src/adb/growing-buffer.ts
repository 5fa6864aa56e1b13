/** Joins an answer that arrives in pieces. Uses at most about twice their total size, even for tiny pieces. */
export class GrowingBuffer {
  private bytes = Buffer.alloc(0)
  length = 0

  add(piece: Uint8Array): void {
    const needed = this.length + piece.length
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2))
      this.bytes.copy(larger, 0, 0, this.length)
      this.bytes = larger
    }
    this.bytes.set(piece, this.length)
    this.length = needed
  }

  /** Returns the bytes, which share memory with this object: `add` must not be called afterwards. */
  whole(): Buffer {
    return this.bytes.subarray(0, this.length)
  }
}
