/** A person's hand on a rented phone, without a page: the WebSocket of a live link that takes input and skips the video. */
import { WebSocket } from 'ws'
import { z } from 'zod'
import { eventually } from '../system/tenant.js'
import { bodyOf, type Rented } from './rented.js'

export interface Hand {
  /** The form that `control-plane/src/live/input.ts` reads. */
  send(message: object): void
  close(): void
}

/** Returns once there is a picture: from then on the phone takes input. */
export async function openHand(phone: Rented): Promise<Hand> {
  const link = z.object({ url: z.url() }).parse(bodyOf(await phone.api.post(`${phone.path}/live`), 201))
  const { origin, host, hash } = new URL(link.url)
  const socket = new WebSocket(`ws://${host}/live/socket`, 'phonerack.live.1', { origin })
  let [bytes, ended] = [0, '']
  const send = (message: object): void => socket.send(JSON.stringify(message))
  socket.on('open', () => send({ type: 'open', token: hash.slice(1) }))
  socket.on('error', (error) => (ended = error.message))
  socket.on('close', (code) => (ended ||= `closed with ${code}`))
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return
    bytes += data.length
    send({ type: 'ack', bytes })
  })
  await eventually('a picture', 60_000, () => {
    if (ended !== '') throw new Error(`the live socket ended: ${ended}`)
    return Promise.resolve(bytes > 0)
  })
  return { send, close: () => socket.terminate() }
}
