/** Retention of steps: their expiry and their quota. */
import { newId } from '@phonerack/shared'
import { Readable } from 'node:stream'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Prisma } from '../../gen/prisma/client.js'
import { changeProject } from '../../testing/operator.js'
import { eventually, startWorld, type Plane, type Tenant } from '../../testing/world.js'
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
/** Inserts a step that is `agoMs` old, with a screen after it. */
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
    ...of,
    id: newId('step'),
    requestId: newId('request'),
    keyId: newId('key'),
    via: 'api',
    status: 'succeeded',
    startedAt: at,
    endedAt: at,
    textKept: false,
    afterId,
    bytes,
    request: new Uint8Array(pack('{"actions":[],"observe":"ui"}')),
  }
  await db().step.create({ data: { ...step, ...more } })
  return step.id
}
const kept = async (): Promise<string[]> =>
  (await db().step.findMany({ orderBy: { startedAt: 'asc' } })).map(({ id }) => id)

it('deletes expired steps with their screens and pictures [43.27]', async () => {
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

it('drops the oldest steps of a project above its quota [43.28]', async () => {
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
  // Another project keeps its steps.
  await changeProject(core, tenant.projectId, { steps_max_bytes: 0 })
  await expireSteps(core)
  expect(await kept()).toEqual([])
  expect(await db().stepScreen.count()).toBe(0)
})

/**
 * Inserts steps of one phone of a project, 1,000 bytes each. Each step ends with a screen of 1,000 bytes,
 * with which the next step begins.
 */
async function placeMany(count: number, projectId = tenant.projectId): Promise<void> {
  const of = { project: projectId, phone: newId('phone'), now: plane.app.core.clock.now() }
  await db()
    .$executeRaw`insert into step_screens (id, project_id, phone_id, session_id, at, body, json_bytes, is_used, bytes)
    select 'snp_' || n, ${of.project}, ${of.phone}, 's', ${of.now}::timestamptz - n * interval '1 s', '', 2, true, 1000
    from generate_series(1, ${count}) n`
  await db()
    .$executeRaw`insert into steps (id, project_id, phone_id, session_id, request_id, key_id, via, status, started_at,
      ended_at, request, text_kept, before_id, after_id, bytes)
    select 'stp_' || md5(${of.project} || n), ${of.project}, ${of.phone}, 's', 'r', 'k', 'api', 'succeeded',
      ${of.now}::timestamptz - n * interval '1 s' - interval '0.5 s', ${of.now}::timestamptz - n * interval '1 s', '', false,
      'snp_' || (n + 1), 'snp_' || n, 1000
    from generate_series(1, ${count}) n`
}
async function bytesOf(projectId: string): Promise<number> {
  const [row] = await db().$queryRaw<{ bytes: number }[]>`
    select ((select coalesce(sum(bytes), 0) from steps where project_id = ${projectId})
      + (select coalesce(sum(bytes), 0) from step_screens where project_id = ${projectId}))::float8 as bytes`
  return row?.bytes ?? 0
}

it('drops the oldest steps of a project far above its quota', { timeout: 300_000 }, async () => {
  await placeMany(40_000)
  const pictures = Array.from({ length: 600 }, () => newId('file'))
  await db().$executeRaw`update steps set picture_id = p.id, picture = '{}' from (
      select id as step, row_number() over (order by started_at) as n from steps) s
    join unnest(${pictures}::text[]) with ordinality p (id, n) on p.n = s.n where steps.id = s.step`
  await changeProject(plane.app.core, tenant.projectId, { steps_max_bytes: 40_000_000 })
  await expireSteps(plane.app.core)
  // The last deleted step frees the last byte of the excess. Its screen stays, as the screen before the next
  // step.
  const left = await bytesOf(tenant.projectId)
  expect(left).toBeLessThanOrEqual(40_000_000)
  expect(left).toBeGreaterThan(40_000_000 - 5000)
  const [oldest] = await db().$queryRaw<{ n: number }[]>`
    select count(*)::int as n from steps where project_id = ${tenant.projectId}
      and after_id not in (select id from step_screens where project_id = ${tenant.projectId})`
  expect(oldest?.n).toBe(0)
  const pictured = await db().$queryRaw<{ n: number }[]>`select count(*)::int as n from steps
    where picture_id is not null`
  expect(pictured).toEqual([{ n: 0 }])
})

it('trims the other projects when one fails, and the failed project in a later round', async () => {
  const { core } = plane.app
  const projects = [tenant, await plane.tenant(), await plane.tenant()].map(({ projectId }) => projectId)
  for (const id of projects) {
    await placeMany(20, id)
    await changeProject(core, id, { steps_max_bytes: 20_000 })
  }
  const [failing = ''] = projects
  await db().$executeRaw`create function refuse_delete() returns trigger language plpgsql
    as $$ begin raise exception 'the delete fails'; end $$`
  await db().$executeRawUnsafe(`create trigger refuse_delete before delete on steps for each row
    when (old.project_id = '${failing}') execute function refuse_delete()`)
  try {
    await expireSteps(core)
    expect(await bytesOf(failing)).toBe(40_000)
    for (const id of projects.slice(1)) expect(await bytesOf(id)).toBeLessThanOrEqual(20_000)
  } finally {
    await db().$executeRaw`drop trigger refuse_delete on steps`
    await db().$executeRaw`drop function refuse_delete`
  }
  await expireSteps(core)
  expect(await bytesOf(failing)).toBeLessThanOrEqual(20_000)
})

it('works on one replica at a time', async () => {
  await placeMany(20)
  await changeProject(plane.app.core, tenant.projectId, { steps_max_bytes: 0 })
  const other = new pg.Client({ connectionString: plane.config.databaseUrl })
  await other.connect()
  try {
    await other.query(`select pg_advisory_lock(hashtextextended('retention of steps', 0))`)
    await expireSteps(plane.app.core)
    expect(await db().step.count()).toBe(20)
  } finally {
    await other.end()
  }
  await eventually(async () => {
    await expireSteps(plane.app.core)
    return (await db().step.count()) === 0
  })
})

it('frees no more than the excess when two replicas work', async () => {
  const beside = await world.start({ beside: plane })
  await placeMany(6000)
  await changeProject(plane.app.core, tenant.projectId, { steps_max_bytes: 6_000_000 })
  await Promise.all([expireSteps(plane.app.core), expireSteps(beside.app.core), expireSteps(plane.app.core)])
  const left = await bytesOf(tenant.projectId)
  expect(left).toBeLessThanOrEqual(6_000_000)
  expect(left).toBeGreaterThan(6_000_000 - 5000)
})

it('counts the bytes of active projects only, in most rounds', async () => {
  const { core } = plane.app
  await place(3600_000, 1000)
  await changeProject(core, tenant.projectId, { steps_max_bytes: 0 })
  await expireSteps(core, 'active')
  expect(await kept()).toHaveLength(1)
  await place(1000, 1000)
  await expireSteps(core, 'active')
  expect(await kept()).toEqual([])
})

it('drops a step whose replica was killed, and keeps a running step', async () => {
  const { core } = plane.app
  const open = { status: 'running', endedAt: null }
  await place(3600_000, 1000, open)
  const running = await place(1000, 1000, open)
  await changeProject(core, tenant.projectId, { steps_max_bytes: 0 })
  await expireSteps(core)
  expect(await kept()).toEqual([running])
})
