/** Uses a live view, a large file and a recording of a rented phone, through any path to the API. */
import { randomBytes } from 'node:crypto'
import { bodyOf } from '../conformance/rented.js'
import { probeVideo, startRecording, untilReady } from '../conformance/videos.js'
import { type Api } from './api.js'
import { openLive } from './live-socket.js'

export interface MediaPhone {
  api: Pick<Api, 'get' | 'post' | 'put'>
  /** The path `/v1/phones/{id}`. */
  path: string
}

const act = async ({ api, path }: MediaPhone, ...actions: object[]): Promise<unknown> =>
  bodyOf(await api.post(`${path}/actions`, { actions }))

/**
 * Watches the phone until its picture has arrived, and again after its screen has changed.
 * @param socketPath the Unix socket of the API
 */
export async function watch(phone: MediaPhone, socketPath: string): Promise<void> {
  const live = await openLive(phone, socketPath)
  try {
    await live.above(0)
    const before = live.bytes
    await act(phone, { type: 'open_app', package: 'com.phonerack.notes' })
    await live.above(before)
  } finally {
    live.close()
  }
}

/**
 * Writes a file through one path and reads it through another path. Returns whether the file is unchanged.
 */
export async function copyFile(to: MediaPhone, from: MediaPhone, size: number): Promise<boolean> {
  const content = randomBytes(size)
  const file = '/sdcard/Download/large.bin'
  bodyOf(await to.api.put(`${to.path}/files?path=${file}`, content), 201)
  const read = await from.api.get(`${from.path}/files/content?path=${file}`)
  bodyOf(read)
  return content.equals(read.bytes)
}

/**
 * Records the phone, stops the recording through another path, and decodes the video. Returns the video's
 * frames.
 */
export async function record(phone: MediaPhone, other: MediaPhone): Promise<number> {
  const { id } = await startRecording(phone)
  await act(phone, { type: 'home' }, { type: 'open_app', package: 'com.phonerack.notes' }, { type: 'home' })
  bodyOf(await other.api.post(`${other.path}/recordings/${id}/stop`))
  await untilReady(other, id)
  return (await probeVideo(phone, id)).frames
}
