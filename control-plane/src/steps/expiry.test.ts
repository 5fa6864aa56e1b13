/** Retention of steps: their life and their quota. */
import { newId } from '@phonerack/shared'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Prisma } from '../gen/prisma/client.js'
import { changeProject } from '../testing/operator.js'
import { eventually, startWorld, type Plane, type Tenant } from '../testing/world.js'
import { expireSteps } from './expiry.js'
import { pack } from './pack.js'

const world = startWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
  phoneId = newId('phone')
})
afterAll(() => world.stop())
beforeEach(async () => {
  await plane.app.core.db.step.deleteMany()
  await plane.app.core.db.stepScreen.deleteMany()
})

const db = () => plane.app.core.db
const store = () => plane.app.uploads.store
let number = 0
/** A step with a screen after it, `agoMs` old. */
async function place(
  agoMs: number,
  bytes: number,
  more: Partial<Prisma.StepCreateInput> = {},
): Promise<string> {
  number += 1
  const at = new Date(plane.app.core.clock.now().getTime() - agoMs)
  const afterId = newId('snapshot')
  const of = { projectId: tenant.projectId, phoneId, sessionId: newId('session') }
  const screen = { ...of, id: afterId, at, jsonBytes: 2, isUsed: true, bytes }
  await db().stepScreen.create({ data: { ...screen, body: new Uint8Array(pack('{}')) } })
  const step = {
    ...{ ...of, id: newId('step'), requestId: newId('request'), keyId: newId('key'), via: 'api' },
    ...{ status: 'succeeded', startedAt: at, endedAt: at, textKept: false, afterId, bytes },
    request: new Uint8Array(pack('{"actions":[],"observe":"ui"}')),
  }
  await db().step.create({ data: { ...step, ...more } })
  return step.id
}
const kept = async (): Promise<string[]> =>
  (await db().step.findMany({ orderBy: { startedAt: 'asc' } })).map(({ id }) => id)

it('deletes expired steps with their screens and pictures', async () => {
  const pictureId = newId('file')
  await store().put(pictureId, Readable.from([Buffer.from('picture')]))
  const picture = { format: 'jpeg', width: 1, height: 1, scale: 1, size_bytes: 7 }
  const life = plane.app.core.rules.recordings.lifeMs
  await place(life + 1000, 100, { pictureId, picture })
  const young = await place(life - 60_000, 100)
  await expireSteps(plane.app.core)
  expect(await kept()).toEqual([young])
  expect(await db().stepScreen.count()).toBe(1)
  await eventually(async () => !(await store().has(pictureId)))
})

it('deletes screens that no step uses after an hour', async () => {
  await place(2 * 3_600_000, 100)
  await db().stepScreen.updateMany({ data: { isUsed: false } })
  await expireSteps(plane.app.core)
  expect(await db().stepScreen.count()).toBe(0)
})

it('drops the oldest steps of a project above its quota', async () => {
  const { core } = plane.app
  await changeProject(core, tenant.projectId, { steps_max_bytes: 10_000 })
  const ids: string[] = []
  // Each step and each screen has 1,000 bytes.
  for (let each = 8; each > 0; each -= 1) ids.push(await place(each * 1000, 1000))
  await expireSteps(core)
  const left = await kept()
  expect(left).toEqual(ids.slice(-left.length))
  expect(left.length).toBeGreaterThanOrEqual(4)
  expect(left.length).toBeLessThanOrEqual(5)
  const screens = await db().stepScreen.aggregate({ _sum: { bytes: true } })
  const steps = await db().step.aggregate({ _sum: { bytes: true } })
  expect(Number(screens._sum.bytes) + Number(steps._sum.bytes)).toBeLessThanOrEqual(10_000)
  await expireSteps(core)
  expect(await kept()).toEqual(left)
  // Another project keeps its own.
  await changeProject(core, tenant.projectId, { steps_max_bytes: 0 })
  await expireSteps(core)
  expect(await kept()).toEqual([])
  expect(await db().stepScreen.count()).toBe(0)
})
