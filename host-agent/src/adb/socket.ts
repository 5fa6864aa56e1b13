/**
 * The byte stream of one connection to the adb server. When `progress` ends, the socket is destroyed, which settles all reads
 * and hangs up the process on the phone. Created by `connect.ts`.
 */
import type { Socket } from 'node:net'
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { AdbConnectionLost, AdbProtocolError } from './errors.js'
import { GrowingBuffer } from './growing-buffer.js'

/** Unread data, in bytes and in chunks, above which the socket is paused. */
const bufferLimit = { bytes: 1 << 20, chunks: 16_384 }

interface Waiter {
  length: number
  resolve: (bytes: Buffer) => void
  reject: (error: Error) => void
}

export class AdbSocket {
  private buffered: Buffer[] = []
  private bufferedLength = 0
  /** The number of chunks at the end of `buffered` that are not joined. */
  private separate = 0
  private waiter: Waiter | null = null
  private ended = false
  private failure: Error | null = null
  private readonly closeListeners = new Set<() => void>()

  /**
   * Separates the connection from the progress that opened it. From then on, the connection's owner must
   * close it.
   */
  readonly detach: () => void

  /** @param what names the call in errors */
  constructor(
    private readonly socket: Socket,
    private readonly what: string,
    progress: Progress,
  ) {
    const { onData, onEnd, onError, onSocketClose } = this
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onSocketClose)
    this.detach = progress.onAbort(() => socket.destroy(new DeadlineExceeded(what)))
  }

  private readonly onData = (chunk: Buffer): void => {
    this.buffered.push(chunk)
    this.bufferedLength += chunk.length
    this.separate += 1
    if (this.separate >= bufferLimit.chunks) this.joinSeparate()
    this.serve()
    this.applyBackPressure()
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

  get closed(): boolean {
    return this.ended || this.socket.destroyed
  }

  /** The reason for which the connection ended. */
  get reason(): Error {
    return this.failure ?? new AdbConnectionLost(this.what)
  }

  onClose(listener: () => void): void {
    if (this.socket.destroyed) listener()
    else this.closeListeners.add(listener)
  }

  /**
   * Returns the underlying socket, with unread bytes put back. This object must not be used afterwards. The
   * socket is flowing, so listeners must be added in the same turn of the event loop.
   */
  toStream(): Socket {
    const { socket, onData, onEnd, onError, onSocketClose } = this
    this.detach()
    socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onSocketClose)
    if (this.bufferedLength > 0) socket.unshift(this.take(this.bufferedLength))
    if (socket.isPaused()) socket.resume()
    return socket
  }

  /** Writes bytes; waits while the socket's buffer is full. @throws AdbConnectionLost */
  async write(bytes: Uint8Array | string): Promise<void> {
    if (!this.enqueue(bytes)) await this.drained()
  }

  /** Writes bytes without waiting. @returns false when the socket's buffer is full afterwards @throws AdbConnectionLost */
  enqueue(bytes: Uint8Array | string): boolean {
    if (this.socket.destroyed || !this.socket.writable) throw this.reason
    return this.socket.write(bytes)
  }

  /** Waits until the socket's buffer is empty. @throws AdbConnectionLost */
  async drained(): Promise<void> {
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

  /** Reads exactly `length` bytes. @throws AdbConnectionLost when the stream ends before */
  read(length: number): Promise<Buffer> {
    if (length === 0) return Promise.resolve(Buffer.alloc(0))
    return this.wait(length)
  }

  /** Reads the available bytes, at least one; null at the end of the stream. */
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

  /** Reads until the stream ends. @throws AdbProtocolError above `limit` bytes */
  async readAll(limit: number): Promise<Buffer> {
    const all = new GrowingBuffer()
    for (;;) {
      const part = await this.readSome()
      if (part === null) return all.whole()
      if (all.length + part.length > limit)
        throw new AdbProtocolError(`${this.what} returned more than ${limit} bytes`)
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
      this.applyBackPressure()
    })
  }

  /** Pauses the socket while enough unread data is buffered. */
  private applyBackPressure(): void {
    const isEnough = this.waiter
      ? this.bufferedLength >= Math.max(bufferLimit.bytes, this.waiter.length)
      : this.bufferedLength >= bufferLimit.bytes || this.buffered.length >= bufferLimit.chunks
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

  /** A reader may wait for many megabytes, which a phone can send byte by byte. */
  private joinSeparate(): void {
    this.buffered.push(Buffer.concat(this.buffered.splice(-this.separate)))
    this.separate = 0
  }

  /**
   * Bytes are copied only across chunks, since many small reads of a large answer must not copy its remaining
   * bytes each time.
   */
  private take(length: number): Buffer {
    const parts: Buffer[] = []
    let missing = length
    let whole = 0
    while (missing > 0) {
      const chunk = this.buffered[whole]
      if (!chunk) throw new Error(`${this.what}: read beyond the received bytes`)
      const part = chunk.subarray(0, missing)
      if (part.length === chunk.length) whole += 1
      else this.buffered[whole] = chunk.subarray(part.length)
      parts.push(part)
      missing -= part.length
    }
    if (whole > 0) this.buffered.splice(0, whole)
    this.separate = Math.min(this.separate, this.buffered.length)
    this.bufferedLength -= length
    const [only] = parts
    return only && parts.length === 1 ? only : Buffer.concat(parts, length)
  }
}
