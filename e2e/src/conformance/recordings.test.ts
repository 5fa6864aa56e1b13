/**
 * A recording through `/v1`, from its start to its video. `recordings.long.test.ts` tests its length, and
 * phones that break.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { act, rent, type Rented } from './rented.js'
import { probeVideo, recordingsOf, startRecording, untilReady } from './videos.js'

let phone: Rented
beforeAll(async () => {
  phone = await rent(inject('system'))
})
afterAll(() => phone.api.delete(phone.path))

it('is stopped, is ready, plays as the video that it describes, and is deleted', async () => {
  const { id, status } = await startRecording(phone, { name: 'Notes' })
  expect(status).toBe('recording')
  await act(phone, { type: 'open_app', package: 'com.phonerack.notes' }, { type: 'wait', ms: 500 })
  expect((await phone.api.post(`${phone.path}/recordings/${id}/stop`)).status).toBeLessThan(300)
  const ready = await untilReady(phone, id)
  expect(ready).toMatchObject({ name: 'Notes', phone: phone.id })
  const video = await probeVideo(phone, id)
  expect([video.bytes, video.type]).toEqual([ready.size_bytes, 'video/mp4'])
  // The video's size for a phone of 576 by 1280 pixels.
  expect([video.width, video.height]).toEqual([576, 1280])
  expect(video.frames).toBeGreaterThan(0)
  expect(video.ms).toBeGreaterThan(500)
  expect(Math.abs(video.ms - (ready.duration_ms ?? 0))).toBeLessThan(5)
  expect((await phone.api.delete(`${phone.path}/recordings/${id}`)).status).toBe(200)
  expect(await recordingsOf(phone)).toEqual([])
})
