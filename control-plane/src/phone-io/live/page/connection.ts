/**
 * The page's WebSocket: opened with the link's token, first by `early.ts`, and reopened after an
 * interruption.
 */
import type {} from './early.js'
import { retryDelay } from './keys.js'
import { pingEveryMs, Silence } from './silence.js'
import {
  acknowledgeEvery,
  isWorthRetrying,
  protocol,
  readVideo,
  type ConfigMessage,
  type FrameMessage,
  type PageMessage,
  type ServerMessage,
} from './wire.js'

interface ConnectionListener {
  onOpen(message: ServerMessage & { type: 'open' }): void
  onVideo(message: ConfigMessage | FrameMessage): void
  onMessage(message: ServerMessage): void
  /** The connection broke; a reconnect follows. `reason` is empty when the server gave none. */
  onRetry(reason: string): void
  /** The connection ended for good. */
  onOver(reason: string): void
}

/** Milliseconds per attempt to connect. */
const connectMs = 10_000

function takeEarly(): typeof globalThis.earlySocket {
  const early = globalThis.earlySocket
  globalThis.earlySocket = undefined
  return early
}

/** Closes the early socket of a page that cannot play the video. */
export function dropEarly(): void {
  const socket = takeEarly()?.socket
  // A browser reports the close of a connecting socket as an error of the page.
  if (socket?.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close()
  else socket?.close()
}

export class Connection {
  private socket: WebSocket | null = null
  private isOpen = false
  private tries = 0
  private receivedBytes = 0
  private acknowledgedBytes = 0
  private timer: number | undefined
  private pulse: number | undefined
  private silence = new Silence(performance.now())
  private pingId = 0
  private pingedAt = 0
  private lastRoundTripMs: number | null = null

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly listener: ConnectionListener,
  ) {
    // Reconnect immediately when the network returns.
    addEventListener('online', () => this.tryNow())
    document.addEventListener('visibilitychange', () => {
      this.tryNow()
      this.ping()
    })
  }

  connect(): void {
    clearTimeout(this.timer)
    const early = takeEarly()
    const socket = early?.socket ?? new WebSocket(this.url, protocol)
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    this.isOpen = false
    this.receivedBytes = 0
    this.acknowledgedBytes = 0
    this.timer = setTimeout(() => this.lost(socket, 1006, ''), connectMs)
    socket.onopen = () =>
      socket.send(JSON.stringify({ type: 'open', token: this.token } satisfies PageMessage))
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => this.onData(data)
    socket.onclose = ({ code, reason }) => this.lost(socket, code, reason)
    for (const { data } of early?.messages ?? []) this.onData(data)
    if (early?.closed) this.lost(socket, early.closed.code, early.closed.reason)
  }

  /** Drops the message while there is no connection: the input would be stale. */
  send(message: PageMessage): void {
    // While the socket closes, a browser reports each message as an error of the page.
    if (this.isOpen && this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message))
  }

  get totalBytes(): number {
    return this.receivedBytes
  }

  /** Milliseconds from the last ping to its answer; null: no ping was answered yet. */
  get roundTripMs(): number | null {
    return this.lastRoundTripMs
  }

  private pingOrEnd(): void {
    const { socket } = this
    if (socket === null) return
    if (this.silence.isOver(performance.now())) this.lost(socket, 1006, '')
    else this.ping()
  }

  private ping(): void {
    this.pingId += 1
    this.pingedAt = performance.now()
    this.send({ type: 'ping', id: this.pingId, visible: !document.hidden })
  }

  private onData(data: ArrayBuffer | string): void {
    this.silence.heard(performance.now())
    if (typeof data === 'string') {
      const message = JSON.parse(data) as ServerMessage
      if (message.type === 'pong') {
        if (message.id === this.pingId) this.lastRoundTripMs = performance.now() - this.pingedAt
        return
      }
      if (message.type !== 'open') return this.listener.onMessage(message)
      clearTimeout(this.timer)
      this.isOpen = true
      this.tries = 0
      this.silence = new Silence(performance.now())
      this.pulse = setInterval(() => this.pingOrEnd(), pingEveryMs)
      this.ping()
      return this.listener.onOpen(message)
    }
    this.receivedBytes += data.byteLength
    if (this.receivedBytes - this.acknowledgedBytes >= acknowledgeEvery) {
      this.acknowledgedBytes = this.receivedBytes
      this.send({ type: 'ack', bytes: this.receivedBytes })
    }
    const video = readVideo(data)
    if (video) this.listener.onVideo(video)
  }

  private lost(socket: WebSocket, code: number, reason: string): void {
    if (this.socket !== socket) return
    this.socket = null
    this.isOpen = false
    clearTimeout(this.timer)
    clearInterval(this.pulse)
    socket.onclose = null
    socket.onmessage = null
    socket.onopen = null
    socket.close()
    if (!isWorthRetrying(code)) return this.listener.onOver(reason)
    this.listener.onRetry(reason)
    this.timer = setTimeout(() => this.connect(), retryDelay(this.tries++, Math.random()))
  }

  private tryNow(): void {
    if (this.socket === null && this.tries > 0 && !document.hidden) this.connect()
  }
}
