/**
 * One ADB stream: two-way, flow-controlled in both directions. Without `delayed_ack`, one WRTE is in flight
 * and each OKAY permits the next WRTE; with it, OKAY carries how many bytes the reader has consumed, and a
 * writer may send while its credit is above zero. The owner is `connection.ts`; the services see a `Duplex`.
 */
import { BrokenPipe, type Duplex } from '../android/streams.js'
import { ProtocolError } from './packet.js'

/** The most unread bytes buffered per stream when `delayed_ack` is on. */
export const receiveWindowBytes = 2 * 1024 * 1024

/** The parts of a connection that a stream needs. */
export interface StreamLink {
  /** Negotiated in CNXN. */
  readonly maxPayload: number
  readonly delayedAck: boolean
  /** Resolves when the socket has room again. */
  sendWrite(stream: AdbStream, payload: Buffer): Promise<void>
  sendOkay(stream: AdbStream, takenBytes: number): void
  /** Also removes the stream from the connection. */
  sendClose(stream: AdbStream): void
}

export class AdbStream implements Duplex {
  private unread: Buffer[] = []
  private unreadBytes = 0
  private gone = false
  private closing = false
  private tail: Promise<void> = Promise.resolve()
  private wakeReader: (() => void) | null = null
  private wakeWriter: (() => void) | null = null
  private resolveClosed: () => void = () => undefined
  readonly closed = new Promise<void>((resolve) => (this.resolveClosed = resolve))

  /** @param credit bytes with `delayed_ack`, otherwise packets */
  constructor(
    private readonly link: StreamLink,
    readonly localId: number,
    public remoteId: number,
    private credit: number,
  ) {}

  write(chunk: Buffer): Promise<void> {
    if (this.gone || this.closing) return Promise.reject(new BrokenPipe())
    const written = this.tail.then(() => this.writeInOrder(chunk))
    this.tail = written.catch(() => undefined)
    return written
  }

  async read(): Promise<Buffer | null> {
    for (;;) {
      const chunk = this.unread.shift()
      if (chunk !== undefined) {
        this.unreadBytes -= chunk.length
        if (!this.gone) this.link.sendOkay(this, chunk.length)
        if (chunk.length > 0) return chunk
        continue
      }
      if (this.gone) return null
      await new Promise<void>((resolve) => (this.wakeReader = resolve))
      this.wakeReader = null
    }
  }

  close(): void {
    if (this.closing || this.gone) return
    this.closing = true
    void this.tail.then(() => {
      if (this.gone) return
      this.link.sendClose(this)
      this.drop()
    })
  }

  /**
   * Handles WRTE from the other side. Without `delayed_ack`, adb 29 sends the remaining data without waiting for OKAY
   * when its client disconnects, and adbd accepts this data; the limit only keeps a host from filling the memory.
   * @throws ProtocolError when the host far exceeds its credit
   */
  receive(payload: Buffer): void {
    if (this.unreadBytes > receiveWindowBytes + this.link.maxPayload)
      throw new ProtocolError('stream window overrun')
    this.unread.push(payload)
    this.unreadBytes += payload.length
    this.wakeReader?.()
  }

  /** Handles OKAY from the other side. */
  grant(payload: Buffer): void {
    if (this.link.delayedAck) this.credit += payload.length >= 4 ? payload.readInt32LE(0) : 0
    else this.credit = 1
    if (this.credit > 0) this.wakeWriter?.()
  }

  /** Handles the end of the other side. Received data can still be read. */
  drop(): void {
    if (this.gone) return
    this.gone = true
    this.wakeReader?.()
    this.wakeWriter?.()
    this.resolveClosed()
  }

  /** Ends the stream with its connection or the phone: received data is discarded. */
  abandon(): void {
    this.unread = []
    this.unreadBytes = 0
    this.drop()
  }

  private async writeInOrder(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += this.link.maxPayload) {
      while (this.credit <= 0 && !this.isGone()) {
        await new Promise<void>((resolve) => (this.wakeWriter = resolve))
        this.wakeWriter = null
      }
      if (this.isGone()) throw new BrokenPipe()
      const part = chunk.subarray(at, at + this.link.maxPayload)
      this.credit -= this.link.delayedAck ? part.length : 1
      await this.link.sendWrite(this, part)
    }
  }

  private isGone(): boolean {
    return this.gone
  }
}
