/** The host agent is killed while it works, and the service is paused. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { actionBatchResultSchema } from '@phonerack/shared'
import { expect, test } from 'vitest'
import { probeVideo, recordingsOf, startRecording, untilReady } from '../conformance/videos.js'
import { errorOf, phoneSchema } from '../system/api.js'
import { rentOfKind } from '../system/chosen.js'
import { keepDead, killService, pidOf } from '../system/processes.js'
import { mountSmallDisk } from '../system/small-disk.js'
import { eventually, getPhone, observe, readyPhone, sessionsOf } from '../system/tenant.js'
import { breakableSystem } from './plane.js'

const plane = breakableSystem()

test(
  'the host agent for over 30 s: the phone becomes unavailable and can be started again',
  { timeout: 240_000 },
  async () => {
    const phone = await readyPhone(plane.tenant.agent, { max_duration: 600 })
    const dead = keepDead(plane.system, 'host-agent', 40_000)
    const killedAt = Date.now()
    const late = new Promise((resolve) => setTimeout(resolve, 14_000))
    await late
    const refused = errorOf(await plane.tenant.agent.get(`/v1/phones/${phone.id}/observe`))
    expect(refused).toMatchObject({ code: 'phone_unavailable', retryable: true })
    await eventually('the phone to be unavailable', 150_000, async () => {
      return (await getPhone(plane.tenant.readOnly, phone.id)).status === 'unavailable'
    })
    const [session] = await sessionsOf(plane.tenant.agent, phone.id)
    expect(session?.end_reason).toBe('unavailable')
    // The session is billed to the last proof of life, not to the time of its detection.
    expect(Date.parse(session?.ended_at ?? '')).toBeLessThan(killedAt + 2000)
    const conflict = errorOf(await plane.tenant.agent.get(`/v1/phones/${phone.id}/observe`))
    expect(conflict).toMatchObject({ code: 'phone_not_running', details: { status: 'unavailable' } })
    const unreachable = errorOf(await plane.tenant.agent.post(`/v1/phones/${phone.id}/start`))
    expect(unreachable.code).toBe('phone_unavailable')
    await dead
    await eventually('a start to be accepted', 150_000, async () => {
      return (await plane.tenant.agent.post(`/v1/phones/${phone.id}/start`)).status === 200
    })
    await plane.removeAll()
    await plane.settled()
  },
)

test(
  'the host agent, in the middle of a batch: the batch reports the actions that ran, and the phone stays usable',
  { timeout: 180_000 },
  async () => {
    const phone = await readyPhone(plane.tenant.agent)
    const batch = plane.tenant.agent.post(`/v1/phones/${phone.id}/actions`, {
      actions: [{ type: 'home' }, { type: 'wait', ms: 8000 }, { type: 'back' }],
      observe: 'none',
    })
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const killed = await killService(plane.system, 'host-agent')
    const answer = await batch
    expect(answer.status).toBe(200)
    const { results, completed } = actionBatchResultSchema.parse(answer.body)
    expect(completed).toBe(1)
    expect(results.map((result) => [result.type, result.ok, result.error?.code])).toEqual([
      ['home', true, undefined],
      ['wait', false, 'action_outcome_unknown'],
    ])
    await eventually('the agent to be back', 150_000, async () => {
      const pid = await pidOf(plane.system, 'host-agent')
      return pid !== null && pid !== killed
    })
    await eventually('the phone to answer', 150_000, async () => {
      return (await plane.tenant.agent.get(`/v1/phones/${phone.id}/observe`)).status === 200
    })
    expect((await getPhone(plane.tenant.agent, phone.id)).session?.id).toBe(phone.session?.id)
    expect((await observe(plane.tenant.agent, phone.id)).elements.length).toBeGreaterThan(0)
    await plane.removeAll()
    await plane.settled()
  },
)

test(
  'the host agent, in the middle of a recording: the recording keeps the time before the kill [25.23]',
  { timeout: 180_000 },
  async () => {
    const { id } = await rentOfKind(plane.system, plane.tenant.admin, 'fast')
    const phone = { api: plane.tenant.agent, path: `/v1/phones/${id}` }
    const recording = await startRecording(phone)
    const begun = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 4000))
    const killedAt = Date.now()
    await killService(plane.system, 'host-agent')
    await untilReady(phone, recording.id)
    const { ms } = await probeVideo(phone, recording.id)
    // The recording contains everything except the last second, even of a static screen.
    expect(ms).toBeGreaterThan(killedAt - begun - 1000)
    expect(ms).toBeLessThan(killedAt - Date.parse(recording.started_at) + 200)
    await plane.removeAll()
    await plane.settled()
  },
)

test(
  'the disk is full in the middle of a recording and while its file is made: the recording is ready once there is space [25.25]',
  { timeout: 180_000 },
  async () => {
    const { id } = await rentOfKind(plane.system, plane.tenant.admin, 'fast')
    const phone = { api: plane.tenant.agent, path: `/v1/phones/${id}` }
    const act = (...actions: object[]) =>
      phone.api.post(`${phone.path}/actions`, { actions, observe: 'none' })
    const disk = await mountSmallDisk(path.join(plane.system.dir, 'host-agent/recordings'), 16 << 20)
    try {
      const recording = await startRecording(phone)
      const begun = Date.now()
      await act({ type: 'open_app', package: 'com.phonerack.notes' }, { type: 'wait', ms: 2500 })
      const fullAt = Date.now()
      await disk.fill()
      // The disk has no space for these pictures.
      await act({ type: 'home' }, { type: 'open_app', package: 'com.phonerack.shop' })
      const status = async () => (await recordingsOf(phone)).find((each) => each.id === recording.id)?.status
      await eventually('it ends', 150_000, async () => (await status()) === 'processing')
      const ended = Date.now()
      const log = path.join(plane.system.dir, 'logs/host-agent.log')
      await eventually('its file finds no room', 150_000, async () =>
        (await readFile(log, 'utf8')).includes('No space left on device'),
      )
      expect(await status()).toBe('processing')
      await disk.free()
      await untilReady(phone, recording.id)
      const { ms, frames } = await probeVideo(phone, recording.id)
      expect(frames).toBeGreaterThan(1)
      expect(ms).toBeGreaterThan(fullAt - begun - 1000)
      expect(ms).toBeLessThan(ended - Date.parse(recording.started_at) + 200)
    } finally {
      await disk.remove()
    }
    await plane.removeAll()
    await plane.settled()
  },
)

test('a paused service parks every phone and refuses new sessions', { timeout: 120_000 }, async () => {
  const phone = await readyPhone(plane.tenant.agent)
  await plane.tenant.operator.post('/operator/v1/service/pause')
  const parked = phoneSchema.parse((await plane.tenant.agent.get(`/v1/phones/${phone.id}?wait=parked`)).body)
  expect(parked.status).toBe('parked')
  expect((await sessionsOf(plane.tenant.agent, phone.id))[0]?.end_reason).toBe('service_paused')
  expect(errorOf(await plane.tenant.agent.post('/v1/phones')).code).toBe('service_paused')
  await plane.tenant.operator.post('/operator/v1/service/resume')
  expect((await plane.tenant.agent.post(`/v1/phones/${phone.id}/start`)).status).toBe(200)
  await plane.removeAll()
  await plane.settled()
})
