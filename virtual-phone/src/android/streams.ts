/**
 * Byte streams inside the phone, pulled by the reader, so that a slow reader delays the writer. Used by the
 * shell's commands (stdin, stdout), by ADB streams and by the phone's own sockets.
 */

export interface ByteSource {
  /** Reads the next chunk, which is never empty; null at the end. */
  read(): Promise<Buffer | null>
}

export interface ByteSink {
  /**
   * Resolves when the buffer has space again.
   * @throws BrokenPipe when the reader is closed
   */
  write(chunk: Buffer): Promise<void>
}

/** A two-way stream: an ADB stream, or a socket between two parts of the phone. */
export interface Duplex extends ByteSource, ByteSink {
  /** Sends the written bytes, and then ends both directions. A repeated call does nothing. */
  close(): void
  /** Resolves when either side has closed the stream. */
  readonly closed: Promise<void>
}

/** The reader of a stream has closed it (EPIPE), or the calling process was killed. */
export class BrokenPipe extends Error {
  constructor() {
    super('Broken pipe')
    this.name = 'BrokenPipe'
  }
}

/** The bytes that a pipe holds before its writer waits: Linux' default. */
const pipeCapacityBytes = 64 * 1024

/** A one-way pipe with a bounded buffer. */
export class Pipe implements ByteSource, ByteSink {
  private chunks: Buffer[] = []
  private buffered = 0
  private ended = false
  private broken = false
  private wakeReader: (() => void) | null = null
  private wakeWriters: (() => void)[] = []

  async write(chunk: Buffer): Promise<void> {
    if (this.broken || this.ended) throw new BrokenPipe()
    if (chunk.length === 0) return
    this.chunks.push(chunk)
    this.buffered += chunk.length
    this.wakeReader?.()
    while (this.buffered > pipeCapacityBytes && !this.isBroken()) {
      await new Promise<void>((resolve) => this.wakeWriters.push(resolve))
    }
    if (this.isBroken()) throw new BrokenPipe()
  }

  async read(): Promise<Buffer | null> {
    for (;;) {
      const chunk = this.chunks.shift()
      if (chunk !== undefined) {
        this.buffered -= chunk.length
        this.releaseWriters()
        return chunk
      }
      if (this.ended || this.broken) return null
      await new Promise<void>((resolve) => (this.wakeReader = resolve))
      this.wakeReader = null
    }
  }

  /** Ends the writing side. */
  end(): void {
    this.ended = true
    this.wakeReader?.()
  }

  /** Ends the reading side; writers get `BrokenPipe`. */
  destroy(): void {
    this.broken = true
    this.chunks = []
    this.buffered = 0
    this.wakeReader?.()
    this.releaseWriters()
  }

  private isBroken(): boolean {
    return this.broken
  }

  private releaseWriters(): void {
    for (const wake of this.wakeWriters.splice(0)) wake()
  }
}

/** Creates two connected ends: each end reads the bytes that the other end writes. */
export function socketPair(): [Duplex, Duplex] {
  const there = new Pipe()
  const back = new Pipe()
  let close: () => void = () => undefined
  const closed = new Promise<void>((resolve) => (close = resolve))
  const end = (input: Pipe, output: Pipe): Duplex => ({
    read: () => input.read(),
    write: (chunk) => output.write(chunk),
    close: () => {
      output.end()
      input.destroy()
      close()
    },
    closed,
  })
  return [end(back, there), end(there, back)]
}

export const emptySource: ByteSource = { read: () => Promise.resolve(null) }
export const nullSink: ByteSink = { write: () => Promise.resolve() }

/** Reads everything until the end into memory. For small streams only. */
export async function readAll(source: ByteSource): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) chunks.push(chunk)
  return Buffer.concat(chunks)
}
