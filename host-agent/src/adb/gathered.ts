/** Gathers an answer that comes in pieces. However small they are, it takes little more than twice their size. */
export class Gathered {
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

  /** Shares its memory: nothing is added any more. */
  whole(): Buffer {
    return this.bytes.subarray(0, this.length)
  }
}
