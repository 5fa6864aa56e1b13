/**
 * One connection to the adb server, read by exact lengths. It ends with its
 * `progress`: a deadline or an abort destroys the socket, so nothing hangs and
 * the process on the phone is hung up.
 */
import { connect, type Socket } from 'node:net'
import { DeadlineExceeded, type Progress } from '@phonerack/shared'
import { AdbConnectionLost } from './errors.js'

/** Milliseconds until a server that takes no more connections is asked again. */
const againMs = 20

/** Of a connection that a Unix socket refused since as many wait as it lets. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAGAIN'

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

  private constructor(
    private readonly socket: Socket,
    private readonly what: string,
  ) {
    const { onData, onEnd, onError, onSocketClose } = this
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onSocketClose)
  }

  private readonly onData = (chunk: Buffer): void => {
    this.buffered.push(chunk)
    this.bufferedLength += chunk.length
    this.serve()
  }

  private readonly onEnd = (): void => {
    this.ended = true
    this.serve()
  }

  private readonly onError = (error: Error): void => {
    this.failure ??= error instanceof DeadlineExceeded ? error : new AdbConnectionLost(this.what, error)
  }

  private readonly onSocketClose = (): void => {
    this.ended = true
    this.serve()
    for (const listener of this.closeListeners) listener()
  }

  /**
   * Opens a connection that lasts as long as `progress`, or until `close`. adb lets five wait while it is busy or does not
   * run; who comes next is refused by a Unix socket at once, and comes again.
   */
  static async open(path: string, what: string, progress: Progress): Promise<AdbSocket> {
    for (;;) {
      try {
        return await AdbSocket.tryOpen(path, what, progress)
      } catch (error) {
        if (!(error instanceof AdbConnectionLost && isFull(error.cause))) throw error
      }
      await progress.sleep(againMs, what)
    }
  }

  private static tryOpen(path: string, what: string, progress: Progress): Promise<AdbSocket> {
    progress.check(what)
    return new Promise((resolve, reject) => {
      const raw = connect({ path })
      const socket = new AdbSocket(raw, what)
      const onAbort = () => raw.destroy(new DeadlineExceeded(what))
      progress.signal.addEventListener('abort', onAbort, { once: true })
      socket.release = () => progress.signal.removeEventListener('abort', onAbort)
      raw.once('connect', () => resolve(socket))
      raw.once('close', () => {
        socket.release()
        reject(socket.failure ?? new AdbConnectionLost(what))
      })
    })
  }

  private release: () => void = () => undefined

  /** From here on the connection outlives the progress that opened it; its owner closes it. */
  detach(): void {
    this.release()
  }

  get closed(): boolean {
    return this.ended || this.socket.destroyed
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
    this.release()
    socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onSocketClose)
    if (this.bufferedLength > 0) socket.unshift(this.take(this.bufferedLength))
    return socket
  }

  /** Hands bytes to the kernel; waits only while its buffer is full. @throws AdbConnectionLost */
  async write(bytes: Uint8Array | string): Promise<void> {
    if (this.socket.destroyed || !this.socket.writable) throw this.failure ?? new AdbConnectionLost(this.what)
    if (this.socket.write(bytes)) return
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        this.socket.off('drain', settle)
        this.socket.off('close', settle)
        if (this.socket.destroyed) reject(this.failure ?? new AdbConnectionLost(this.what))
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
    const parts: Buffer[] = []
    let total = 0
    for (;;) {
      const part = await this.readSome()
      if (part === null) return Buffer.concat(parts)
      total += part.length
      if (total > limit) throw new RangeError(`${this.what} returned more than ${limit} bytes`)
      parts.push(part)
    }
  }

  close(): void {
    this.release()
    this.socket.destroy()
  }

  private wait(length: number): Promise<Buffer> {
    if (this.waiter) throw new Error(`${this.what}: two concurrent reads`)
    return new Promise((resolve, reject) => {
      this.waiter = { length, resolve, reject }
      this.serve()
    })
  }

  private serve(): void {
    const { waiter } = this
    if (!waiter) return
    if (this.bufferedLength >= waiter.length) {
      this.waiter = null
      waiter.resolve(this.take(waiter.length))
    } else if (this.ended || this.socket.destroyed) {
      this.waiter = null
      waiter.reject(this.failure ?? new AdbConnectionLost(this.what))
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
