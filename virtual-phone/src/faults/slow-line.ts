/** A socket behind a slow link, with latency and limited bandwidth in both directions. Used by `adbd/server.ts`. */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

export interface SlowLimits {
  /** The latency of one direction. */
  latencyMs: number
  bytesPerSecond: number
}

/** One direction, with the time when the line is free again. */
class Lane {
  private freeAtMs = 0
  /** Timers of neighbouring milliseconds fire in any order, so each timer delivers the oldest chunk. */
  readonly sent: (() => void)[] = []

  constructor(private readonly limits: SlowLimits) {}

  /** Returns the milliseconds until this many bytes have passed the line. */
  take(bytes: number): number {
    const now = performance.now()
    this.freeAtMs = Math.max(now, this.freeAtMs) + (bytes / this.limits.bytesPerSecond) * 1000
    return this.freeAtMs - now
  }
}

export class SlowLine extends Duplex {
  private readonly timers = new Set<NodeJS.Timeout>()
  private readonly up: Lane
  private readonly down: Lane

  constructor(
    private readonly socket: Socket,
    private readonly limits: SlowLimits,
  ) {
    super({ allowHalfOpen: false })
    this.up = new Lane(limits)
    this.down = new Lane(limits)
    socket.on('data', (chunk: Buffer) => {
      this.deliver(this.up, chunk.length, () => this.push(chunk))
    })
    socket.on('end', () => {
      this.deliver(this.up, 0, () => this.push(null))
    })
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /**
   * Calls `act` once the bytes have passed the line, after all earlier bytes.
   * @returns milliseconds of the transfer
   */
  private deliver(lane: Lane, bytes: number, act: () => void): number {
    const through = lane.take(bytes)
    lane.sent.push(act)
    this.after(through + this.limits.latencyMs, () => lane.sent.shift()?.())
    return through
  }

  private after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      act()
    }, ms)
    this.timers.add(timer)
  }

  override _read(): void {
    // Chunks are pushed after their transfer time.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const through = this.deliver(this.down, chunk.length, () => this.socket.write(chunk))
    this.after(through, () => {
      done()
    })
  }

  override _final(done: (error?: Error | null) => void): void {
    this.deliver(this.down, 0, () => {
      this.socket.end()
      done()
    })
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    this.socket.destroy()
    done(error)
  }
}
