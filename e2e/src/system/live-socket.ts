/**
 * The WebSocket of a new live link with control, without a page: it acknowledges the video and discards it.
 */
import { WebSocket } from 'ws'
import { z } from 'zod'
import { bodyOf } from '../conformance/rented.js'
import { type Api } from './api.js'
import { eventually } from './tenant.js'

/** The first byte of the message with the picture's size (`control-plane/src/phone-io/live/page/wire.ts`). */
const configKind = 1

export interface LiveSocket {
  /** The number of bytes of video that have arrived. */
  readonly bytes: number
  /** The size of the last picture in pixels; null before the first picture. */
  readonly picture: { width: number; height: number } | null
  /**
   * Returns once more than `bytes` of video have arrived.
   * @throws Error when the socket has ended
   */
  above(bytes: number): Promise<void>
  /** The form that `control-plane/src/phone-io/live/input.ts` reads. */
  send(message: object): void
  close(): void
}

/**
 * @param phone `path`: `/v1/phones/{id}`
 * @param socketPath the Unix socket of the API; omitted: the address in the link
 */
export async function openLive(
  { api, path }: { api: Pick<Api, 'post'>; path: string },
  socketPath?: string,
): Promise<LiveSocket> {
  const link = z.object({ url: z.url() }).parse(bodyOf(await api.post(`${path}/live`, {}), 201))
  const { origin, host, hash } = new URL(link.url)
  const server = socketPath === undefined ? `ws://${host}` : `ws+unix:${socketPath}:`
  const socket = new WebSocket(`${server}/live/socket`, 'phonerack.live.2', { origin })
  let [bytes, ended] = [0, '']
  let size: LiveSocket['picture'] = null
  let picture: LiveSocket['picture'] = null
  const send = (message: object): void => socket.send(JSON.stringify(message))
  socket.on('open', () => send({ type: 'open', token: hash.slice(1) }))
  socket.on('error', (error) => (ended = error.message))
  socket.on('close', (code) => (ended ||= `closed with ${code}`))
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return
    bytes += data.length
    if (data[0] === configKind) size = { width: data.readUInt16BE(1), height: data.readUInt16BE(3) }
    else picture = size
    send({ type: 'ack', bytes })
  })
  return {
    get bytes() {
      return bytes
    },
    get picture() {
      return picture
    },
    above: (than) =>
      eventually('video of the live view', 150_000, () => {
        if (ended !== '') throw new Error(`the live socket ended: ${ended}`)
        return Promise.resolve(bytes > than)
      }),
    send,
    close: () => socket.terminate(),
  }
}

/** Takes control and gives the phone back, like a person on the page of a hand-over. */
export function answerHandoff(url: string, note: string): Promise<void> {
  const { origin, host, hash } = new URL(url)
  const socket = new WebSocket(`ws://${host}/live/socket`, 'phonerack.live.2', { origin })
  const send = (message: object): void => socket.send(JSON.stringify(message))
  socket.on('open', () => send({ type: 'open', token: hash.slice(1) }))
  return new Promise((resolve, reject) => {
    let isGivenBack = false
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return
      const { type, isTaken } = z
        .looseObject({ type: z.string(), isTaken: z.boolean().optional() })
        .parse(JSON.parse(data.toString('utf8')))
      if (type === 'open') send({ type: 'take' })
      if (type !== 'handoff' || isTaken !== true) return
      isGivenBack = true
      send({ type: 'give_back', outcome: 'done', note })
    })
    socket.on('error', reject)
    socket.on('close', (code) =>
      isGivenBack ? resolve() : reject(new Error(`the live socket closed with ${code}`)),
    )
  })
}
