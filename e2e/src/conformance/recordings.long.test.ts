/**
 * The chapter "Recordings" through `/v1`, on virtual phones that are parked, restarted, unplugged, rotated
 * and broken during the recording.
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { errorOf } from '../system/api.js'
import { killProgram } from '../system/processes.js'
import { eventually, getPhone } from '../system/tenant.js'
import { act, look, rent, type Rented } from './rented.js'
import { openHand } from './hand.js'
import { probeVideo, recordingSchema, recordingsOf, startRecording, untilReady } from './videos.js'

const execute = promisify(execFile)
const system = inject('system')

describe('a recording', () => {
  let phone: Rented
  beforeAll(async () => {
    phone = await rent(system)
  }, 120_000)
  afterAll(() => phone.api.delete(phone.path))

  it('is as long as the recorded time, for a moving and for a still screen [2.12, 25.12, 25.15]', async () => {
    const before = Date.now()
    const { id, name, status } = await startRecording(phone, { name: 'Two apps' })
    const begun = Date.now()
    expect([name, status]).toEqual(['Two apps', 'recording'])
    await act(phone, { type: 'open_app', package: 'com.phonerack.notes' }, { type: 'home' })
    // The screen does not change from now on.
    await act(phone, { type: 'wait', ms: 4000 })
    const asked = Date.now()
    const stopped = recordingSchema.parse((await phone.api.post(`${phone.path}/recordings/${id}/stop`)).body)
    const ended = Date.now()
    expect(['processing', 'ready']).toContain(stopped.status)
    const ready = await untilReady(phone, id)
    const video = await probeVideo(phone, id)
    expect(ready.size_bytes).toBe(video.bytes)
    expect(video.type).toBe('video/mp4')
    expect(video.disposition).toContain(`${id}.mp4`)
    expect(video.frames).toBeGreaterThan(3)
    expect(video.ms).toBeGreaterThan(asked - begun - 200)
    expect(video.ms).toBeLessThan(ended - before + 200)
    const reportedMs = Date.parse(ready.ended_at ?? '') - Date.parse(ready.started_at)
    expect(Math.abs(video.ms - reportedMs)).toBeLessThan(200)
    expect(Math.abs(video.ms - (ready.duration_ms ?? 0))).toBeLessThan(5)
  }, 120_000)

  it('plays in one size that contains both orientations of the phone [25.26]', async () => {
    const hand = await openHand(phone)
    const turn = async (isWide: boolean): Promise<void> => {
      hand.send({ type: 'rotate' })
      await eventually(`the screen is ${isWide ? 'wide' : 'tall'}`, 150_000, async () => {
        const { screen } = await look(phone)
        return screen.width > screen.height === isWide
      })
      // The recording and the live view show the same pictures, since both use the same video.
      await eventually(`the picture is ${isWide ? 'wide' : 'tall'}`, 150_000, () => {
        const { width, height } = hand.picture ?? { width: 0, height: 0 }
        return Promise.resolve(width > height === isWide)
      })
    }
    const before = Date.now()
    const { id } = await startRecording(phone)
    const begun = Date.now()
    await act(phone, { type: 'open_app', package: 'com.phonerack.notes' })
    await turn(true)
    const wideAt = Date.now()
    await act(phone, { type: 'home' }, { type: 'wait', ms: 1500 })
    const turnedAt = Date.now()
    await turn(false)
    await act(phone, { type: 'wait', ms: 1500 })
    const asked = Date.now()
    await phone.api.post(`${phone.path}/recordings/${id}/stop`)
    const ended = Date.now()
    hand.close()
    const ready = await untilReady(phone, id)
    const video = await probeVideo(phone, id)
    // The video's size for a phone of 576 by 1280 pixels.
    expect([video.width, video.height]).toEqual([1280, 1280])
    expect(video.frames).toBeGreaterThan(5)
    // Each orientation has pictures at its time: a picture from before the rotation, and a picture from after
    // the rotation back.
    expect(video.times.filter((ms) => ms < wideAt - before + 200).length).toBeGreaterThan(1)
    expect(video.times.at(-1)).toBeGreaterThan(turnedAt - begun - 200)
    expect(video.ms).toBeGreaterThan(asked - begun - 200)
    expect(video.ms).toBeLessThan(ended - before + 200)
    expect(Math.abs(video.ms - (ready.duration_ms ?? 0))).toBeLessThan(5)
  }, 180_000)

  it('is complete although ffmpeg is killed while it writes the file [25.24]', async () => {
    const { id } = await startRecording(phone)
    const begun = Date.now()
    // The pictures of both actions may arrive a moment after the actions.
    await act(
      phone,
      { type: 'open_app', package: 'com.phonerack.notes' },
      { type: 'home' },
      { type: 'wait', ms: 3000 },
    )
    // A pipe without a reader blocks ffmpeg until it is killed.
    const made = path.join(system.dir, 'host-agent/recordings', id, 'video.mp4.new')
    await execute('mkfifo', [made])
    const asked = Date.now()
    await phone.api.post(`${phone.path}/recordings/${id}/stop`)
    await killProgram('ffmpeg', made)
    await untilReady(phone, id)
    const video = await probeVideo(phone, id)
    expect(video.frames).toBeGreaterThan(2)
    expect(video.ms).toBeGreaterThan(asked - begun - 200)
  }, 120_000)

  it('runs alone on its phone, and continues when the scrcpy server is killed [23.32, 23.33, 25.1, 25.17]', async () => {
    const { id } = await startRecording(phone)
    const begun = Date.now()
    const second = await phone.api.post(`${phone.path}/recordings`)
    expect([second.status, errorOf(second).code]).toEqual([409, 'recording_in_progress'])
    expect(errorOf(second)).toMatchObject({
      details: { recording: id },
      next: `POST ${phone.path}/recordings/${id}/stop`,
    })
    const early = await phone.api.get(`${phone.path}/recordings/${id}/video`)
    expect(errorOf(early)).toMatchObject({ code: 'recording_not_ready', retryable: true })
    await phone.faults.killScrcpy()
    await act(phone, { type: 'wait', ms: 2500 })
    const asked = Date.now()
    await phone.api.post(`${phone.path}/recordings/${id}/stop`)
    await untilReady(phone, id)
    expect((await probeVideo(phone, id)).ms).toBeGreaterThan(asked - begun - 200)
  }, 120_000)

  it('is stopped by its deletion [25.7]', async () => {
    const { id } = await startRecording(phone)
    const deleted = await phone.api.delete(`${phone.path}/recordings/${id}`)
    expect([deleted.status, deleted.body]).toEqual([200, { id, deleted: true }])
    expect((await recordingsOf(phone)).map((each) => each.id)).not.toContain(id)
    expect(errorOf(await phone.api.get(`${phone.path}/recordings/${id}/video`)).code).toBe(
      'recording_not_found',
    )
    const { id: next } = await startRecording(phone)
    await phone.api.delete(`${phone.path}/recordings/${next}`)
  }, 60_000)

  it('does not keep its phone awake [25.4]', async () => {
    const before = await getPhone(phone.api, phone.id)
    const { id } = await startRecording(phone)
    const started = Date.parse((await getPhone(phone.tenant.readOnly, phone.id)).session?.parks_at ?? '')
    const begun = Date.now()
    await act(phone, { type: 'wait', ms: 1000 })
    // The batch's end is recorded in parallel with its answer, and may be written after the answer.
    await vi.waitFor(async () => {
      const { last_active_at: active } = await getPhone(phone.tenant.readOnly, phone.id)
      expect(Date.parse(active ?? '')).toBeGreaterThanOrEqual(begun + 1000)
    }, 10_000)
    const acted = Date.parse((await getPhone(phone.tenant.readOnly, phone.id)).session?.parks_at ?? '')
    expect(acted).toBeGreaterThanOrEqual(started)
    // Only the recording continues.
    await new Promise((resolve) => setTimeout(resolve, 3000))
    const { session } = await getPhone(phone.tenant.readOnly, phone.id)
    expect(session?.id).toBe(before.session?.id)
    expect(Date.parse(session?.parks_at ?? '')).toBe(acted)
    await phone.api.delete(`${phone.path}/recordings/${id}`)
  }, 60_000)
})

describe('keeps its content when', () => {
  /**
   * Records for two seconds, ends the recording by `end`, and inspects the video. Returns the phone for
   * further tests.
   */
  async function broken(end: (phone: Rented) => Promise<unknown>): Promise<Rented> {
    const phone = await rent(system)
    const { id } = await startRecording(phone)
    const begun = Date.now()
    await act(phone, { type: 'open_app', package: 'com.phonerack.notes' }, { type: 'wait', ms: 1500 })
    const last = Date.now()
    await end(phone)
    await untilReady(phone, id)
    const video = await probeVideo(phone, id)
    expect(video.ms).toBeGreaterThan(last - begun - 200)
    expect(video.frames).toBeGreaterThan(1)
    return phone
  }

  it('the phone is parked, and later deleted [25.20]', async () => {
    const phone = await broken(async ({ api, path: at }) => {
      expect((await api.post(`${at}/park`)).status).toBe(200)
    })
    const [recording] = await recordingsOf(phone)
    const refused = await phone.api.post(`${phone.path}/recordings`)
    expect([refused.status, errorOf(refused).code]).toEqual([409, 'phone_not_running'])
    await phone.api.delete(phone.path)
    expect((await probeVideo(phone, recording?.id ?? '')).frames).toBeGreaterThan(1)
    await phone.api.delete(`${phone.path}/recordings/${recording?.id ?? ''}`)
    expect(await recordingsOf(phone)).toEqual([])
  }, 120_000)

  it('the phone restarts [25.21]', async () => {
    const phone = await broken(async ({ api, path: at }) => {
      expect((await api.post(`${at}/reboot`)).status).toBe(202)
    })
    await phone.api.delete(phone.path)
  }, 120_000)

  it('the phone is unplugged [25.22]', async () => {
    const phone = await broken(({ faults }) => faults.unplug())
    await phone.faults.replug()
    await phone.api.delete(phone.path)
  }, 120_000)
})

it('a phone without video refuses [25.10]', async () => {
  const phone = await rent(inject('bare'))
  const refused = await phone.api.post(`${phone.path}/recordings`)
  expect([refused.status, errorOf(refused).code]).toEqual([422, 'feature_unavailable'])
  expect(errorOf(refused).details).toMatchObject({ feature: 'recordings' })
  expect(await recordingsOf(phone)).toEqual([])
  await phone.api.delete(phone.path)
}, 120_000)
