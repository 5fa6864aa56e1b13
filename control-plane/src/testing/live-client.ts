/** A live view's page without a browser, for tests: a WebSocket and its messages. */
import { type AddressInfo } from 'node:net'
import { type FastifyInstance } from 'fastify'
import { WebSocket } from 'ws'
import { protocol, readVideo, type PageMessage, type ServerMessage } from '../phone-io/live/page/wire.js'
import { eventually } from './world.js'

export interface LiveClient {
  /** Resolves once the server has accepted the token. */
  opened(): Promise<ServerMessage & { type: 'open' }>
  /** Resolves once the socket is closed, for any reason. */
  closed(): Promise<{ code: number; reason: string; at: number }>
  messages: ServerMessage[]
  video: NonNullable<ReturnType<typeof readVideo>>[]
  bytes(): number
  send(message: PageMessage | string | Buffer): void
  close(): void
}

/**
 * @param listening a listening server
 * @param token omitted: no token is sent
 */
export function openLive(
  listening: FastifyInstance,
  origin: string | null,
  token: string | null,
): LiveClient {
  const { port } = listening.server.address() as AddressInfo
  const socket = new WebSocket(`ws://127.0.0.1:${port}/live/socket`, protocol, {
    ...(origin === null ? {} : { origin }),
  })
  const messages: ServerMessage[] = []
  const video: LiveClient['video'] = []
  let bytes = 0
  let end: { code: number; reason: string; at: number } | null = null
  socket.on('open', () => token !== null && socket.send(JSON.stringify({ type: 'open', token })))
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) return void messages.push(JSON.parse(data.toString()) as ServerMessage)
    bytes += data.length
    const copy = new Uint8Array(data).buffer
    const found = readVideo(copy)
    if (found) video.push(found)
  })
  // The client reports the status of a refused handshake.
  socket.on('unexpected-response', (_request, answer) => {
    end = { code: answer.statusCode ?? 0, reason: '', at: Date.now() }
    answer.destroy()
  })
  socket.on('error', () => undefined)
  socket.on('close', (code, reason) => (end ??= { code, reason: reason.toString(), at: Date.now() }))
  const isOpen = (message: ServerMessage): message is ServerMessage & { type: 'open' } =>
    message.type === 'open'
  return {
    async opened() {
      await eventually(() => messages.some(isOpen) || end !== null)
      const message = messages.find(isOpen)
      if (!message) throw new Error(`closed: ${JSON.stringify(end)}`)
      return message
    },
    async closed() {
      await eventually(() => end !== null)
      if (!end) throw new Error('still open')
      return end
    },
    messages,
    video,
    bytes: () => bytes,
    send: (message) =>
      socket.send(
        typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
      ),
    close: () => socket.close(),
  }
}
