/** Recordings over HTTP. Runs with real Postgres, jobs, files and gRPC; the agent is a double. */
import { ApiError, newId } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../base/db/database.js'
import { recordingSchema, recordingsSchema, type RecordingJson } from '../../api/routes/phones/recordings.js'
import { errorOf, expectConventions } from '../../testing/api.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { storedFiles } from '../../testing/uploads.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { expireRecordings } from './expiry.js'
import { remove } from './records.js'
import { createKey } from '../../testing/operator.js'

const world = useWorld()
let plane: Plane
/** Another replica. */
let beside: Plane
let agent: AgentDouble
let owner: Tenant
/** The caller. */
let tenant: Tenant
beforeAll(async () => {
  const env = { PHONERACK_RECORDINGS_PER_PROJECT: '4', PHONERACK_LIFECYCLE_PER_MINUTE: '1000000' }
  plane = await world.start({ env })
  beside = await world.start({ env, beside: plane })
  agent = await plane.rack(5, { beatMs: 200 })
  owner = await plane.tenant({ credit: '1000' })
})
let phoneId = ''
beforeEach(async () => {
  agent.onCall = () => Promise.resolve()
  agent.recordings.sent = null
  const { phones } = plane.app.services
  tenant = owner
  if (phoneId === '' || (await phones.get(tenant.caller, phoneId)).status !== 'ready')
    phoneId = await readyPhone(plane, tenant)
  const { db } = plane.app.core
  for (const recording of await db.recording.findMany({ where: { status: { not: 'deleted' } } })) {
    agent.recordings.held.delete(recording.id)
    await inTransaction(db, (tx) => remove(tx, plane.app.core, recording))
  }
})

type Method = 'GET' | 'POST' | 'DELETE'
async function call(
  method: Method,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
  on = plane,
) {
  const response = await on.server.inject({
    method,
    url: `/v1/phones/${phoneId}/recordings${path}`,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  expectConventions(response)
  return response
}

async function start(body?: unknown): Promise<RecordingJson> {
  const answer = await call('POST', '', body)
  expect(answer.statusCode, answer.body).toBe(201)
  return recordingSchema.strict().parse(answer.json())
}

const list = async (): Promise<RecordingJson[]> =>
  recordingsSchema.strict().parse((await call('GET', '')).json()).data
const get = async (id: string): Promise<RecordingJson | undefined> =>
  (await list()).find((each) => each.id === id)
const untilStatus = (id: string, status: RecordingJson['status']): Promise<void> =>
  eventually(async () => (await get(id))?.status === status)
const untilDropped = (id: string): Promise<void> => eventually(() => !agent.recordings.held.has(id))

describe('a recording', () => {
  it('is read only up to the size that its host announced', async () => {
    const { id } = await start()
    await call('POST', `/${id}/stop`)
    agent.recordings.finish(id)
    let sent = 0
    let isCut = false
    agent.recordings.onRead = async (read) => {
      read.on('cancelled', () => (isCut = true))
      for (; !isCut && sent < 2000; sent += 1)
        if (!read.write({ chunk: Buffer.alloc(65_536) }))
          await new Promise((resolve) => setImmediate(resolve))
    }
    await eventually(() => isCut)
    agent.recordings.onRead = null
    // The video has four chunks. Some further chunks are in flight before the call is cancelled.
    expect(sent).toBeLessThan(200)
    await untilStatus(id, 'ready')
  })

  it('is started, stopped, stored and downloaded, completely and in parts [2.29, 23.35, 25.11, 25.14, 25.16]', async () => {
    const recording = await start({ name: 'Sign-in 👋' })
    expect(recording).toMatchObject({
      phone: phoneId,
      name: 'Sign-in 👋',
      status: 'recording',
      ended_at: null,
      size_bytes: null,
    })
    expect(Date.parse(recording.expires_at) - Date.parse(recording.started_at)).toBe(7 * 86_400_000)
    const { id } = recording
    const early = errorOf(await call('GET', `/${id}/video`), 409, 'recording_not_ready')
    expect(early.next).toBe(`POST /v1/phones/${phoneId}/recordings/${id}/stop`)
    agent.log.length = 0
    const stopped = recordingSchema.strict().parse((await call('POST', `/${id}/stop`)).json())
    expect(stopped.status).toBe('processing')
    expect(stopped.ended_at).not.toBeNull()
    errorOf(await call('GET', `/${id}/video`), 409, 'recording_not_ready')
    agent.recordings.finish(id)
    await untilStatus(id, 'ready')
    expect(await get(id)).toMatchObject({ duration_ms: 1234, size_bytes: 200_000 })
    await untilDropped(id)
    expect(agent.log.filter((name) => name === 'stopRecording')).toHaveLength(1)

    const video = await call('GET', `/${id}/video`)
    expect(video.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-disposition': `attachment; filename=${id}.mp4`,
      'content-length': '200000',
    })
    expect(video.rawPayload.equals(agent.recordings.video)).toBe(true)
    const part = await call('GET', `/${id}/video`, undefined, { range: 'bytes=199990-' })
    expect([part.statusCode, part.headers['content-range']]).toEqual([206, 'bytes 199990-199999/200000'])
    expect(part.rawPayload).toEqual(agent.recordings.video.subarray(199_990))
    const outside = await call('GET', `/${id}/video`, undefined, { range: 'bytes=200000-' })
    expect(errorOf(outside, 416, 'range_not_satisfiable').details).toMatchObject({ size_bytes: 200_000 })
    expect(outside.headers).toMatchObject({ 'content-range': 'bytes */200000' })
    // A request with an invalid range, or with a range and a condition, returns the whole file.
    for (const headers of [
      { range: 'bytes=5-2' },
      { range: 'bytes=0-1,5-6' },
      { range: 'bytes=200000-', 'if-range': '"x"' },
    ])
      expect((await call('GET', `/${id}/video`, undefined, headers)).statusCode).toBe(200)

    // A stopped recording is returned unchanged, and nothing is sent.
    agent.log.length = 0
    expect((await call('POST', `/${id}/stop`)).json<RecordingJson>().status).toBe('ready')
    expect(agent.log).toEqual([])
  })

  it('needs a ready phone to start and stop; other requests work without a ready phone, even after its deletion [25.3]', async () => {
    const { id } = await start()
    const { phones } = plane.app.services
    await phones.delete(tenant.caller, phoneId)
    errorOf(await call('POST', ''), 409, 'phone_deleted')
    errorOf(await call('POST', `/${id}/stop`), 409, 'phone_deleted')
    // The agent ended the recording with its assignment, or learns of the end now.
    await eventually(() => agent.recordings.held.get(id)?.endedAt !== undefined)
    agent.recordings.finish(id)
    await untilStatus(id, 'ready')
    expect((await call('GET', `/${id}/video`)).rawPayload.length).toBe(200_000)
    const { storageId } = await plane.app.core.db.recording.findUniqueOrThrow({ where: { id } })
    expect(await storedFiles(plane)).toContain(storageId)
    expect((await call('DELETE', `/${id}`)).json()).toEqual({ id, deleted: true })
    expect(await list()).toEqual([])
    errorOf(await call('GET', `/${id}/video`), 404, 'recording_not_found')
    errorOf(await call('DELETE', `/${id}`), 404, 'recording_not_found')
    await eventually(async () => !(await storedFiles(plane)).includes(storageId))
  })

  it('is fetched when its host ends it', async () => {
    const { id } = await start()
    agent.recordings.end(id)
    agent.recordings.finish(id)
    await untilStatus(id, 'ready')
    await call('DELETE', `/${id}`)
  })

  it('fails when its host reports that, or has lost it [25.13]', async () => {
    const first = await start()
    agent.recordings.fail(first.id)
    await untilStatus(first.id, 'failed')
    errorOf(await call('GET', `/${first.id}/video`), 404, 'recording_not_found')
    const second = await start()
    agent.recordings.held.delete(second.id)
    errorOf(await call('GET', '/rec_aaaaaaaaaaaa/video'), 404, 'recording_not_found')
    expect((await call('POST', `/${second.id}/stop`)).json<RecordingJson>().status).toBe('failed')
  })

  it('is never stored incomplete: a file that differs from its announcement is fetched again', async () => {
    const { id } = await start()
    agent.recordings.sent = Buffer.from('torn')
    await call('POST', `/${id}/stop`)
    agent.recordings.finish(id)
    agent.log.length = 0
    await eventually(() => agent.log.includes('readRecording'))
    expect((await get(id))?.status).toBe('processing')
    agent.recordings.sent = null
    await untilStatus(id, 'ready')
    expect((await call('GET', `/${id}/video`)).rawPayload.equals(agent.recordings.video)).toBe(true)
  })
})

describe('limits', () => {
  it('one recording runs at a time per phone, even for concurrent requests on two replicas [20.59, 25.2]', async () => {
    const answers = await Promise.all(
      [plane, beside, plane, beside].map((on) => call('POST', '', {}, {}, on)),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409, 409])
    const [running] = await list()
    const refused = answers.find(({ statusCode }) => statusCode === 409)
    if (!refused) throw new Error('nothing was refused')
    expect(errorOf(refused, 409, 'recording_in_progress')).toMatchObject({
      details: { recording: running?.id },
      next: `POST /v1/phones/${phoneId}/recordings/${running?.id}/stop`,
    })
    expect(agent.recordings.held.size).toBeGreaterThan(0)
  })

  it('a project is limited in number, including recordings of deleted phones, until they are deleted or expire [20.58, 23.34, 25.9]', async () => {
    const kept: string[] = []
    for (let made = 0; made < 4; made += 1) {
      const { id } = await start()
      await call('POST', `/${id}/stop`)
      kept.push(id)
    }
    errorOf(await call('POST', ''), 409, 'recording_limit_reached')
    await plane.app.services.phones.delete(tenant.caller, phoneId)
    const old = phoneId
    phoneId = await readyPhone(plane, tenant)
    errorOf(await call('POST', ''), 409, 'recording_limit_reached')
    const { db } = plane.app.core
    await db.recording.updateMany({
      where: { id: kept[0] ?? '' },
      data: { expiresAt: plane.app.core.clock.now() },
    })
    const { id } = await start()
    errorOf(await call('POST', `/${kept[1]}/stop`), 404, 'recording_not_found')
    await expireRecordings(plane.app.core)
    await untilDropped(kept[0] ?? '')
    expect((await db.recording.findUniqueOrThrow({ where: { id: kept[0] ?? '' } })).status).toBe('deleted')
    await call('POST', `/${id}/stop`)
    phoneId = old
    expect((await list()).map((each) => each.id).sort()).toEqual(kept.slice(1).sort())
  })

  it('a name has at most 80 characters [20.60, 25.8]', async () => {
    errorOf(await call('POST', '', { name: '👋'.repeat(81) }), 400, 'validation_failed')
    errorOf(await call('POST', '', { title: 'x' }), 400, 'validation_failed')
    expect((await start({ name: '👋'.repeat(80) })).name).toBe('👋'.repeat(80))
  })

  it("those of another project, or outside a limited key's phones, are not found", async () => {
    const { id } = await start()
    const other = await plane.tenant()
    const mine = tenant
    tenant = other
    errorOf(await call('GET', `/${id}/video`), 404, 'phone_not_found')
    errorOf(await call('DELETE', `/${id}`), 404, 'phone_not_found')
    tenant = mine
    const readOnly = await createKey(plane.app.core, {
      project: mine.projectId,
      preset: 'read-only',
      expires: 'never',
    })
    tenant = { ...mine, key: readOnly.key }
    errorOf(await call('DELETE', `/${id}`), 403, 'insufficient_scope')
    errorOf(await call('POST', ''), 403, 'insufficient_scope')
    expect(await list()).toHaveLength(1)
  })
})

describe('sent once', () => {
  it('a start that the phone refuses leaves nothing', async () => {
    agent.onCall = (name) =>
      name === 'startRecording'
        ? Promise.reject(new ApiError('feature_unavailable', { details: { feature: 'recordings' } }))
        : Promise.resolve()
    expect(errorOf(await call('POST', ''), 422, 'feature_unavailable').details).toMatchObject({
      feature: 'recordings',
    })
    expect(await list()).toEqual([])
  })

  it('a start without a response is not repeated, and its row then matches the host [25.5]', async () => {
    agent.onCall = (name) =>
      name === 'startRecording' ? Promise.reject(new Error('cut')) : Promise.resolve()
    agent.log.length = 0
    const lost = errorOf(await call('POST', ''), 502, 'action_outcome_unknown')
    expect(lost.next).toBe(`GET /v1/phones/${phoneId}/recordings`)
    expect(agent.log.filter((name) => name === 'startRecording')).toHaveLength(1)
    const [row] = await list()
    expect(row).toMatchObject({ status: 'recording' })
    agent.onCall = () => Promise.resolve()
    // Runs the job early: the host has no recording.
    await plane.app.core.db.$queryRaw`select 1 as moved from graphile_worker.add_job('recording.fetch',
      payload := ${JSON.stringify({ recordingId: row?.id })}::json, job_key := ${`recording.fetch:${row?.id}`})`
    await eventually(async () => (await list()).length === 0)
  })

  it('a stop without a response is not repeated [25.6]', async () => {
    const { id } = await start()
    agent.onCall = (name) => (name === 'stopRecording' ? Promise.reject(new Error('cut')) : Promise.resolve())
    agent.log.length = 0
    errorOf(await call('POST', `/${id}/stop`), 502, 'action_outcome_unknown')
    expect(agent.log.filter((name) => name === 'stopRecording')).toHaveLength(1)
    agent.onCall = () => Promise.resolve()
    expect((await call('POST', `/${id}/stop`)).json<RecordingJson>().status).toBe('processing')
  })

  it('a delete stops a running recording, and refuses when its host is unreachable [25.19]', async () => {
    const first = await start()
    agent.log.length = 0
    expect((await call('DELETE', `/${first.id}`)).statusCode).toBe(200)
    expect(agent.recordings.held.has(first.id)).toBe(false)
    const second = await start()
    // The phone is parked, but the stop does not reach its host, which then disconnects.
    agent.onCall = (name) => (name === 'stopRecording' ? Promise.reject(new Error('cut')) : Promise.resolve())
    const { phones } = plane.app.services
    await phones.park(tenant.caller, phoneId)
    await eventually(async () => (await phones.get(tenant.caller, phoneId)).status === 'parked')
    // The park ends the recording, so no paid start is needed to stop it.
    const waited = errorOf(await call('GET', `/${second.id}/video`), 409, 'recording_not_ready')
    expect(waited.next).toBe(`GET /v1/phones/${phoneId}/recordings`)
    agent.pause()
    agent.cutGrpc()
    try {
      const refused = errorOf(await call('DELETE', `/${second.id}`), 409, 'recording_in_progress')
      expect(refused.next).toContain(`POST /v1/phones/${phoneId}/start`)
    } finally {
      await agent.serve()
      agent.resume()
    }
    expect(await get(second.id)).toBeDefined()
  })

  it('a recording of a parked phone can be neither stopped nor deleted until the host has closed its file', async () => {
    const { id } = await start()
    const { phones } = plane.app.services
    // The phone's host has not learned of the park yet.
    agent.onCall = (name) => (name === 'stopRecording' ? new Promise(() => undefined) : Promise.resolve())
    await phones.park(tenant.caller, phoneId)
    await phones.wait(phoneId, ({ status }) => status === 'parked', 30_000, new AbortController().signal)
    expect(await get(id)).toMatchObject({ status: 'recording' })
    agent.log.length = 0
    const refused = errorOf(await call('DELETE', `/${id}`), 409, 'recording_in_progress')
    expect(refused.details).toMatchObject({ phone: phoneId, recording: id })
    expect(refused.next).toContain(`GET /v1/phones/${phoneId}/recordings until \`status\` is no longer`)
    expect(agent.log).not.toContain('dropRecording')
    errorOf(await call('POST', `/${id}/stop`), 409, 'phone_not_running')
    errorOf(await call('GET', `/${id}/video`), 409, 'recording_not_ready')
    agent.onCall = () => Promise.resolve()
    agent.recordings.end(id)
    await untilStatus(id, 'processing')
    errorOf(await call('POST', `/${id}/stop`), 409, 'phone_not_running')
    expect((await call('DELETE', `/${id}`)).json()).toEqual({ id, deleted: true })
    errorOf(await call('DELETE', `/${id}`), 404, 'recording_not_found')
    await untilDropped(id)
  })

  it('an unknown or malformed ID returns recording_not_found [23.31, 25.18]', async () => {
    for (const id of [newId('recording'), 'rec_x', '..%2f..', 'ph_aaaaaaaaaaaa'])
      errorOf(await call('POST', `/${id}/stop`), 404, 'recording_not_found')
  })
})
