/**
 * The bytes of one connection to the adb server, read by exact lengths. It ends with its `progress`: a deadline or an
 * abort destroys the socket, so nothing hangs and the process on the phone is hung up. Made by `connection.ts`.
 */
import type { Socket } from 'node:net'
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { AdbConnectionLost } from './errors.js'
import { Gathered } from './gathered.js'

/** What waits to be read, in bytes and in pieces of any size, before the phone has to wait. */
const bufferLimit = { bytes: 1 << 20, pieces: 16_384 }

interface Waiter {
  length: number
  resolve: (bytes: Buffer) => void
  reject: (error: Error) => void
}

export class AdbSocket {
  private buffered: Buffer[] = []
  private bufferedLength = 0
  private waiter: Waiter | null = null
  private ended = false
  private failure: Error | null = null
  private readonly closeListeners = new Set<() => void>()

  /** @param what names the call in errors */
  constructor(
    private readonly socket: Socket,
    private readonly what: string,
    private readonly progress: Progress,
  ) {
    const { onData, onEnd, onError, onSocketClose } = this
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onSocketClose)
    progress.signal.addEventListener('abort', this.onAbort, { once: true })
  }

  private readonly onAbort = (): void => {
    this.socket.destroy(new DeadlineExceeded(this.what))
  }

  private readonly onData = (chunk: Buffer): void => {
    this.buffered.push(chunk)
    this.bufferedLength += chunk.length
    this.serve()
    this.holdBack()
  }

  private readonly onEnd = (): void => {
    this.ended = true
    this.serve()
  }

  private readonly onError = (error: Error): void => {
    this.failure ??= error instanceof DeadlineExceeded ? error : new AdbConnectionLost(this.what, error)
  }

  private readonly onSocketClose = (): void => {
    this.detach()
    this.ended = true
    this.serve()
    for (const listener of this.closeListeners) listener()
  }

  /** From here on the connection outlives the progress that opened it; its owner closes it. */
  detach(): void {
    this.progress.signal.removeEventListener('abort', this.onAbort)
  }

  get closed(): boolean {
    return this.ended || this.socket.destroyed
  }

  /** Why a closed connection ended. */
  get reason(): Error {
    return this.failure ?? new AdbConnectionLost(this.what)
  }

  onClose(listener: () => void): void {
    if (this.socket.destroyed) listener()
    else this.closeListeners.add(listener)
  }

  /**
   * Gives up the connection as a stream, with what was not read of it; this object must not be used any more.
   * It flows: whoever takes it listens in the same turn of the event loop.
   */
  toStream(): Socket {
    const { socket, onData, onEnd, onError, onSocketClose } = this
    this.detach()
    socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onSocketClose)
    if (this.bufferedLength > 0) socket.unshift(this.take(this.bufferedLength))
    if (socket.isPaused()) socket.resume()
    return socket
  }

  /** Hands bytes to the kernel; waits only while its buffer is full. @throws AdbConnectionLost */
  async write(bytes: Uint8Array | string): Promise<void> {
    if (this.socket.destroyed || !this.socket.writable) throw this.reason
    if (this.socket.write(bytes)) return
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        this.socket.off('drain', settle)
        this.socket.off('close', settle)
        if (this.socket.destroyed) reject(this.reason)
        else resolve()
      }
      this.socket.on('drain', settle)
      this.socket.on('close', settle)
    })
  }

  /** Exactly `length` bytes. @throws AdbConnectionLost when the stream ends before. */
  read(length: number): Promise<Buffer> {
    if (length === 0) return Promise.resolve(Buffer.alloc(0))
    return this.wait(length)
  }

  /** What has come, at least one byte; null at the end of the stream. */
  async readSome(): Promise<Buffer | null> {
    if (this.bufferedLength === 0) {
      try {
        const first = await this.wait(1)
        this.buffered.unshift(first)
        this.bufferedLength += 1
      } catch (error) {
        if (error instanceof AdbConnectionLost && this.failure === null) return null
        throw error
      }
    }
    return this.take(this.bufferedLength)
  }

  /** Everything until the stream ends. @throws RangeError above `limit` bytes. */
  async readAll(limit: number): Promise<Buffer> {
    const all = new Gathered()
    for (;;) {
      const part = await this.readSome()
      if (part === null) return all.whole()
      if (all.length + part.length > limit)
        throw new RangeError(`${this.what} returned more than ${limit} bytes`)
      all.add(part)
    }
  }

  close(): void {
    this.detach()
    this.socket.destroy()
  }

  private wait(length: number): Promise<Buffer> {
    if (this.waiter) throw new Error(`${this.what}: two concurrent reads`)
    return new Promise((resolve, reject) => {
      this.waiter = { length, resolve, reject }
      this.serve()
      this.holdBack()
    })
  }

  /** Lets the phone wait while nobody reads what has come. */
  private holdBack(): void {
    const isEnough = this.waiter
      ? this.bufferedLength >= Math.max(bufferLimit.bytes, this.waiter.length)
      : this.bufferedLength >= bufferLimit.bytes || this.buffered.length >= bufferLimit.pieces
    if (isEnough === this.socket.isPaused()) return
    if (isEnough) this.socket.pause()
    else this.socket.resume()
  }

  private serve(): void {
    const { waiter } = this
    if (!waiter) return
    if (this.bufferedLength >= waiter.length) {
      this.waiter = null
      waiter.resolve(this.take(waiter.length))
    } else if (this.ended || this.socket.destroyed) {
      this.waiter = null
      waiter.reject(this.reason)
    }
  }

  /** Copies only what lies in more than one chunk: many small reads of a large answer must not copy its rest each time. */
  private take(length: number): Buffer {
    const parts: Buffer[] = []
    let missing = length
    while (missing > 0) {
      const chunk = this.buffered[0]
      if (!chunk) throw new Error(`${this.what}: read beyond the received bytes`)
      const part = chunk.subarray(0, missing)
      if (part.length === chunk.length) this.buffered.shift()
      else this.buffered[0] = chunk.subarray(part.length)
      parts.push(part)
      missing -= part.length
    }
    this.bufferedLength -= length
    const [only] = parts
    return only && parts.length === 1 ? only : Buffer.concat(parts, length)
  }
}
