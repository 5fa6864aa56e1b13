/** Faults of the recording, which never change a batch. Runs with real Postgres; the agent is a double. */
import { createLogger, type ActionBatchResult } from '@phonerack/shared'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type Caller } from '../../base/core/caller.js'
import { type Core } from '../../base/core/core.js'
import { createDeviceControlService } from '../device-control/service.js'
import { type FileStore } from '../../files/storage/file-store.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { answering, element, pictured } from '../../testing/step-screens.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { createPhoneQueue, mostWaiting } from './phone-queue.js'
import { createPictures, type Pictures } from './pictures.js'
import { BatchRecording } from './recorded-batch.js'
import { createStepRecorder, type StepRecorder } from './recorder.js'
import { createLastScreens } from './screens.js'
import { createTypedTexts } from './typed-texts.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string
let core: Core
const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
const log = createLogger('test')
log.level = 'silent'

beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(1)
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
  core = { ...plane.app.core, log }
})
beforeEach(() => {
  agent.onBatch = answering(pictured([element(1, { text: 'Home' })]))
})

const callerOf = (pictures: 'asked' | 'every'): Caller => ({
  ...tenant.caller,
  steps: { text: false, pictures },
})
const noPictures: Pictures = { keep: () => Promise.resolve(null) }
const batch = { actions: [{ type: 'home' }], observe: 'both' } as const

/**
 * Runs the batch.
 * @param faults replace parts of the recorder, or of the pictures
 */
async function run({
  recorder: broken = () => ({}),
  pictures = noPictures,
  mode = 'asked',
  observe = 'both',
}: {
  recorder?: (real: StepRecorder) => Partial<StepRecorder>
  pictures?: Pictures
  mode?: 'asked' | 'every'
  observe?: 'none' | 'both'
} = {}): Promise<ActionBatchResult> {
  const real = createStepRecorder(core, pictures)
  const recorder = { ...real, ...broken(real) }
  const deviceControl = createDeviceControlService(core, plane.app.hosts, recorder)
  try {
    const json = await deviceControl.runActions(callerOf(mode), phoneId, { ...batch, observe }, context)
    return JSON.parse(Buffer.from(json).toString('utf8')) as ActionBatchResult
  } finally {
    await real.close()
  }
}
const fault = (): never => {
  throw new Error('a fault of the recording')
}
const statuses = async () =>
  (await core.db.step.findMany({ where: { phoneId }, orderBy: [{ startedAt: 'asc' }, { id: 'asc' }] })).map(
    ({ status }) => status,
  )

it('runs and answers a batch whose step cannot begin [43.17]', async () => {
  const before = await statuses()
  expect(await run({ recorder: () => ({ begin: fault }) })).toMatchObject({ completed: 1 })
  expect(await statuses()).toEqual(before)
})

it('answers a batch whose outcome cannot be recorded, and its step is unknown', async () => {
  const answer = await run({
    recorder: (real) => ({
      begin: (of) => ({ ...real.begin(of), answered: () => Promise.reject(new Error('x')) }),
    }),
  })
  expect(answer).toMatchObject({ completed: 1, observation: { elements: [{ text: 'Home' }] } })
  expect((await statuses()).at(-1)).toBe('unknown')
  const failing = await run({
    recorder: () => ({ begin: () => ({ answered: fault, unknown: fault, refused: fault }) }),
  })
  expect(failing).toMatchObject({ completed: 1 })
})

it('answers before the step is written, and writes it before its recorder closes', async () => {
  let release = (): void => undefined
  const kept = new Promise<null>((resolve) => (release = () => resolve(null)))
  const recorder = createStepRecorder(core, { keep: () => kept })
  const deviceControl = createDeviceControlService(core, plane.app.hosts, recorder)
  const own: Caller = { ...callerOf('asked'), steps: { text: true, pictures: 'asked' } }
  const before = await statuses()
  await deviceControl.runActions(own, phoneId, batch, context)
  // A batch of more than 10 ms is already there, as running.
  expect((await statuses()).slice(before.length)).not.toContain('succeeded')
  release()
  await recorder.close()
  expect((await statuses()).slice(before.length)).toEqual(['succeeded'])
})

it('keeps a limited number of screens in memory while Postgres does not answer', async () => {
  const queue = createPhoneQueue()
  let release = (): void => undefined
  void queue.add(phoneId, () => new Promise<void>((resolve) => (release = resolve)))
  const screens = createLastScreens(core, createTypedTexts(), queue)
  const settings = { text: false, pictures: 'asked' } as const
  for (let count = 0; count < 3 * mostWaiting; count += 1) {
    screens.see({
      projectId: tenant.projectId,
      phoneId,
      settings,
      at: core.clock.now(),
      json: Buffer.from('{}'),
    })
    screens.flush(phoneId)
  }
  expect(queue.length(phoneId)).toBe(mostWaiting)
  release()
  await queue.idle()
})

it('throws the error of a batch although its recording fails too', async () => {
  agent.onBatch = () => Promise.reject(new Error('lost'))
  await expect(
    run({ recorder: () => ({ begin: () => ({ answered: fault, unknown: fault, refused: fault }) }) }),
  ).rejects.toMatchObject({ code: 'internal_error' })
})

it('answers without the observation when it cannot cut the observation to the requested mode', async () => {
  const json = Buffer.from('{"results":[{"index":0}],"completed":1,"observation":{"text":1}}')
  const answer = async (pictures: 'asked' | 'every', observe: 'none' | 'both') => {
    const settings = { text: false, pictures }
    const recorded = {
      caller: callerOf(pictures),
      settings,
      phoneId,
      actions: batch.actions,
      observe,
      context,
    }
    const recorder = createStepRecorder(core, noPictures)
    const answered = await new BatchRecording(log, recorder, recorded).answered(json)
    await recorder.close()
    return JSON.parse(Buffer.from(answered).toString('utf8')) as unknown
  }
  expect(await answer('every', 'none')).toEqual({ results: [{ index: 0 }], completed: 1 })
  // The observation has the requested mode already, so it needs no cut.
  expect(await answer('asked', 'both')).toHaveProperty('observation')
})

const unused = () => Promise.reject(new Error('not used'))
/** A file store whose writes end when the test ends them. */
function slowStore(room: () => Promise<boolean> = () => Promise.resolve(true)) {
  let end = (): void => undefined
  const written = new Promise<void>((resolve) => (end = resolve))
  const put: string[] = []
  const store: FileStore = {
    isConfigured: true,
    hasRoomFor: room,
    read: unused,
    readPart: unused,
    withLocalFile: unused,
    put: (id) => {
      put.push(id)
      return written
    },
    has: () => Promise.resolve(false),
    sweep: () => Promise.resolve(),
    delete: unused,
  }
  return { store, put, end: () => end() }
}

it('answers without a picture that the storage does not take, and deletes the picture an hour later [43.18]', async () => {
  const { store, put, end } = slowStore()
  const began = performance.now()
  await run({ pictures: createPictures({ ...core, log }, store) })
  // The storage would never finish.
  expect(performance.now() - began).toBeLessThan(30_000)
  const steps = await core.db.step.findMany({ where: { phoneId }, orderBy: { startedAt: 'desc' }, take: 1 })
  expect(steps).toMatchObject([{ status: 'succeeded', pictureId: null }])
  end()
  expect(put).toHaveLength(1)
  const jobs = await core.db
    .$queryRaw`select key from graphile_worker.jobs where key = ${`file.delete:${put[0]}`}`
  expect(jobs).toHaveLength(1)
})

it('keeps the step when the free space of the storage cannot be read', async () => {
  const { store } = slowStore(() => Promise.reject(new Error('statfs failed')))
  expect(await run({ pictures: createPictures({ ...core, log }, store) })).toMatchObject({ completed: 1 })
  expect((await statuses()).at(-1)).toBe('succeeded')
})
