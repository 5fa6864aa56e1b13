/** The room that recordings take in a project and in the storage. */
import { RecordingStatus } from '@phonerack/proto'
import { beforeAll, expect, it } from 'vitest'
import { recordingSchema, type RecordingJson } from '../../api/routes/phones/recordings.js'
import { errorOf } from '../../testing/api.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const most = 300_000
const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_RECORDING_PROJECT_MAX: `${most}` } })
  agent = await plane.rack(2, { beatMs: 200 })
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
})

const call = (method: 'GET' | 'POST' | 'DELETE', path: string) =>
  plane.server.inject({
    method,
    url: `/v1/phones/${phoneId}/recordings${path}`,
    headers: { authorization: `Bearer ${tenant.key}` },
  })
async function start(): Promise<RecordingJson> {
  const answer = await call('POST', '')
  expect(answer.statusCode, answer.body).toBe(201)
  return recordingSchema.parse(answer.json())
}
const get = async (id: string): Promise<RecordingJson | undefined> =>
  (await call('GET', '')).json<{ data: RecordingJson[] }>().data.find((each) => each.id === id)
const untilStatus = (id: string, status: string): Promise<void> =>
  eventually(async () => (await get(id))?.status === status)

it("a project's bytes are limited: 409 with both numbers, and a running recording is ended at the limit [20.68]", async () => {
  const first = await start()
  await call('POST', `/${first.id}/stop`)
  agent.recordings.finish(first.id)
  await untilStatus(first.id, 'ready')
  expect((await get(first.id))?.size_bytes).toBe(200_000)

  const second = await start()
  const state = agent.recordings.held.get(second.id)
  if (!state) throw new Error('the host does not record')
  agent.recordings.held.set(second.id, { ...state, sizeBytes: 100_001n })
  await eventually(
    () => agent.recordings.held.get(second.id)?.status === RecordingStatus.RECORDING_STATUS_PROCESSING,
  )
  await untilStatus(second.id, 'processing')
  // The size on the host is not the stored size yet.
  expect((await get(second.id))?.size_bytes).toBeNull()
  const refused = await call('POST', '')
  const error = errorOf(refused, 409, 'recording_limit_reached')
  expect(error.details).toMatchObject({ limit_bytes: most, used_bytes: 300_001 })
  expect(error.next).toMatch(/Delete recordings/)

  await call('DELETE', `/${first.id}`)
  const third = await start()
  for (const { id } of [second, third]) await call('DELETE', `/${id}`)
})

it('a host that reports an excessive size, and records after a stop, uses little space', async () => {
  const lying = await world.start()
  const rack = await lying.rack(2, { beatMs: 200 })
  const owner = await lying.tenant()
  const { recordings } = lying.app.services
  const { db } = lying.app.core
  const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
  const phone = await readyPhone(lying, owner)
  const row = () => db.recording.findUniqueOrThrow({ where: { id } })
  const { id } = await recordings.start(owner.caller, phone, null, context)
  const state = rack.recordings.held.get(id)
  if (!state) throw new Error('the host does not record')
  rack.recordings.held.set(id, { ...state, sizeBytes: 10n ** 15n })
  await eventually(async () => (await row()).sizeBytes !== null)
  const noted = await row()
  const seconds = (lying.app.core.clock.now().getTime() - noted.startedAt.getTime()) / 1000
  // A megabyte is allowed, plus the rate for each second since the start.
  expect(Number(noted.sizeBytes)).toBeGreaterThanOrEqual(1_000_000)
  expect(Number(noted.sizeBytes)).toBeLessThanOrEqual(1_000_000 + 1_000_000 * seconds)

  rack.recordings.ignoresStop = true
  await recordings.stop(owner.caller, phone, id, context).catch(() => undefined)
  await lying.app.services.phones.park(owner.caller, phone)
  await eventually(async () => (await row()).stopAskedAt !== null)
  expect((await row()).status).not.toBe('failed')
  await db.$executeRaw`update recordings set stop_asked_at = stop_asked_at - interval '61 seconds'`
  await eventually(async () => (await row()).status === 'failed')
  await eventually(() => !rack.recordings.held.has(id))
})

it('the limit by number also reports the bytes', async () => {
  const few = await world.start({ env: { PHONERACK_RECORDINGS_PER_PROJECT: '1' } })
  await few.rack(2, { beatMs: 200 })
  const owner = await few.tenant()
  const { recordings } = few.app.services
  const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
  await recordings.start(owner.caller, await readyPhone(few, owner), null, context)
  await expect(
    recordings.start(owner.caller, await readyPhone(few, owner), null, context),
  ).rejects.toMatchObject({
    code: 'recording_limit_reached',
    details: { limit: 1, recordings: 1, limit_bytes: 20_000_000_000, used_bytes: 0 },
  })
})

it('nothing is transferred while the storage has no space', async () => {
  const full = await world.start({ env: { PHONERACK_STORAGE_MIN_FREE: `${9 * 10 ** 15}` } })
  const rack = await full.rack(1, { beatMs: 200 })
  const owner = await full.tenant()
  const { recordings } = full.app.services
  const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
  const phone = await readyPhone(full, owner)
  const { id } = await recordings.start(owner.caller, phone, null, context)
  await recordings.stop(owner.caller, phone, id, context)
  rack.recordings.finish(id)
  const reads = (): number => rack.log.filter((name) => name === 'getRecording').length
  const before = reads()
  await eventually(() => reads() > before)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(rack.log).not.toContain('readRecording')
  expect((await full.app.core.db.recording.findUniqueOrThrow({ where: { id } })).status).toBe('processing')
})
