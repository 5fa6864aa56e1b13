/** A live view, a large file and a recording of a rented phone, through any way to the API. */
import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { probeVideo, startRecording, untilReady } from '../conformance/videos.js'
import { type Answer, type Api } from './api.js'
import { eventually } from './tenant.js'

export interface MediaPhone {
  api: Pick<Api, 'get' | 'post' | 'put'>
  /** `/v1/phones/{id}` */
  path: string
}

const limitMs = 60_000

const expectStatus = (answer: Answer, status: number): Answer => {
  if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}

const act = async ({ api, path }: MediaPhone, ...actions: object[]): Promise<Answer> =>
  expectStatus(await api.post(`${path}/actions`, { actions }), 200)

/**
 * Watches the phone until its picture has arrived, and again after its screen has changed.
 * @param socketPath the Unix socket of the API
 */
export async function watch(phone: MediaPhone, socketPath: string): Promise<void> {
  const answer = expectStatus(await phone.api.post(`${phone.path}/live`, {}), 201)
  const { origin, hash } = new URL(z.object({ url: z.url() }).parse(answer.body).url)
  const socket = new WebSocket(`ws+unix:${socketPath}:/live/socket`, 'phonerack.live.1', { origin })
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
  const more = (than: number): Promise<void> =>
    eventually('more of the live view', limitMs, () => {
      if (ended !== '') throw new Error(`the live socket ended: ${ended}`)
      return Promise.resolve(bytes > than)
    })
  try {
    await more(0)
    const before = bytes
    await act(phone, { type: 'open_app', package: 'com.phonerack.notes' })
    await more(before)
  } finally {
    socket.terminate()
  }
}

/** Writes a file through one way and reads it through another. Returns whether it is the same. */
export async function copyFile(to: MediaPhone, from: MediaPhone, size: number): Promise<boolean> {
  const content = randomBytes(size)
  const file = '/sdcard/Download/large.bin'
  expectStatus(await to.api.put(`${to.path}/files?path=${file}`, content), 201)
  const read = expectStatus(await from.api.get(`${from.path}/files/content?path=${file}`), 200)
  return content.equals(read.bytes)
}

/** Records the phone, stops through another way, and decodes the video. Returns its frames. */
export async function record(phone: MediaPhone, other: MediaPhone): Promise<number> {
  const { id } = await startRecording(phone)
  await act(phone, { type: 'home' }, { type: 'open_app', package: 'com.phonerack.notes' }, { type: 'home' })
  expectStatus(await other.api.post(`${other.path}/recordings/${id}/stop`), 200)
  await untilReady(other, id)
  return (await probeVideo(phone, id)).frames
}
