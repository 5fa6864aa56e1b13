/** The statements that write steps and screens, with real Postgres. */
import { newId } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../testing/api.js'
import { pack } from './pack.js'
import { dropStep, writeScreen, writeStep, type NewScreen, type NewStep, type StepEnd } from './rows.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const core = () => api.plane.app.core
const ago = (minutes: number): Date => new Date(core().clock.now().getTime() - minutes * 60_000)
const stepOf = (phoneId: string, startedAt: Date): NewStep => ({
  id: newId('step'),
  projectId: api.tenant.projectId,
  phoneId,
  requestId: newId('request'),
  keyId: newId('key'),
  via: 'api',
  client: null,
  startedAt,
  textKept: false,
  snapshotIds: [],
  request: pack('{"actions":[],"observe":"none"}'),
})
const screenAt = (at: Date): NewScreen => ({ id: newId('snapshot'), at, body: pack('{}'), jsonBytes: 2 })
const endAt = (endedAt: Date): StepEnd => ({
  status: 'succeeded',
  endedAt,
  outcome: pack('{}'),
  screen: null,
  picture: null,
})
const rowOf = (id: string) => core().db.step.findUnique({ where: { id } })

/** Creates a phone with two sessions, of which the first has ended. */
async function parkedAndStarted(): Promise<{ phoneId: string; first: string; second: string }> {
  const { db } = core()
  const phoneId = await api.placePhone('ready')
  const { id: second } = await db.session.findFirstOrThrow({ where: { phoneId } })
  await db.session.update({ where: { id: second }, data: { startedAt: ago(2) } })
  const first = newId('session')
  await db.session.create({
    data: {
      id: first,
      phoneId,
      projectId: api.tenant.projectId,
      idleTimeout: 300,
      maxDuration: 900,
      reservedMicros: 0n,
      startedAt: ago(30),
      readyAt: ago(30),
      endedAt: ago(10),
      endReason: 'parked',
      billedSeconds: 60,
      costMicros: 0n,
    },
  })
  return { phoneId, first, second }
}

it('stores a step that is written late in the session in which it started', async () => {
  const { phoneId, first, second } = await parkedAndStarted()
  const screenId = newId('snapshot')
  await core().db.stepScreen.create({
    data: {
      id: screenId,
      projectId: api.tenant.projectId,
      phoneId,
      sessionId: first,
      at: ago(21),
      body: new Uint8Array(pack('{}')),
      jsonBytes: 2,
      isUsed: false,
      bytes: 1,
    },
  })
  const late = stepOf(phoneId, ago(20))
  await writeStep(core(), late, { ...endAt(ago(19)), screen: screenAt(ago(19)) })
  expect(await rowOf(late.id)).toMatchObject({ sessionId: first, beforeId: screenId })
  const after = await core().db.stepScreen.findMany({ where: { phoneId, id: { not: screenId } } })
  expect(after).toMatchObject([{ sessionId: first }])
  const next = stepOf(phoneId, ago(1))
  await writeStep(core(), next, null)
  expect(await rowOf(next.id)).toMatchObject({ sessionId: second, beforeId: null })
})

it('stores a step from before all sessions in the first session, since clocks differ', async () => {
  const { phoneId, first } = await parkedAndStarted()
  const step = stepOf(phoneId, ago(31))
  await writeStep(core(), step, endAt(ago(30)))
  expect(await rowOf(step.id)).toMatchObject({ sessionId: first })
})

it('keeps no screen that was read before the session', async () => {
  const { phoneId } = await parkedAndStarted()
  await writeScreen(core(), { projectId: api.tenant.projectId, phoneId }, screenAt(ago(20)))
  expect(await core().db.stepScreen.count({ where: { phoneId } })).toBe(0)
})

it('writes nothing for a phone of another project', async () => {
  const { phoneId } = await parkedAndStarted()
  const step = { ...stepOf(phoneId, ago(1)), projectId: newId('project') }
  await writeStep(core(), step, endAt(ago(1)))
  expect(await rowOf(step.id)).toBeNull()
})

it('lets the next read replace the screen before a refused batch, unless another step uses it', async () => {
  const { phoneId } = await parkedAndStarted()
  const of = { projectId: api.tenant.projectId, phoneId }
  const screen = screenAt(ago(1.5))
  const isUsed = async () =>
    (await core().db.stepScreen.findFirstOrThrow({ where: { phoneId, id: screen.id } })).isUsed
  await writeScreen(core(), of, screen)
  const [refused, other] = [stepOf(phoneId, ago(1)), stepOf(phoneId, ago(1))]
  await writeStep(core(), refused, null)
  await writeStep(core(), other, null)
  expect(await rowOf(refused.id)).toMatchObject({ beforeId: screen.id })
  await dropStep(core(), refused.id)
  expect(await rowOf(refused.id)).toBeNull()
  expect(await isUsed()).toBe(true)
  await dropStep(core(), other.id)
  expect(await isUsed()).toBe(false)
  await writeScreen(core(), of, screenAt(ago(0.5)))
  expect(await core().db.stepScreen.count({ where: { phoneId, id: screen.id } })).toBe(0)
})

it('keeps the screen before a refused batch when it is the screen after another step', async () => {
  const { phoneId } = await parkedAndStarted()
  const screen = screenAt(ago(1.5))
  await writeStep(core(), stepOf(phoneId, ago(1.6)), { ...endAt(ago(1.5)), screen })
  const refused = stepOf(phoneId, ago(1))
  await writeStep(core(), refused, null)
  expect(await rowOf(refused.id)).toMatchObject({ beforeId: screen.id })
  await dropStep(core(), refused.id)
  expect(await core().db.stepScreen.findFirst({ where: { phoneId } })).toMatchObject({ isUsed: true })
})
