// Activity with real Postgres: recorded and unrecorded requests, and the operator's list.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { forget } from '../../fleet/jobs/reconcile.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { summaryOf } from '../../api/http/activity-summary.js'
import { matching, type ActivityFilter } from './listing.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
let ahead = 0

beforeAll(async () => {
  plane = await world.start({ clock: { now: () => new Date(Date.now() + ahead) } })
  await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant()
  const { phones } = plane.app.services
  const { phone } = await phones.create(tenant.caller, createBody(), null)
  phoneId = phone.id
  await phones.wait(phoneId, ({ status }) => status === 'ready', 10_000, new AbortController().signal)
})

const request = (method: 'GET' | 'PUT' | 'POST' | 'PATCH', url: string, body?: unknown) =>
  plane.server.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
const list = async (query = '') => {
  const answer = await plane.operator.inject({
    url: `/operator/v1/activity?project=${tenant.projectId}${query}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })
  return {
    status: answer.statusCode,
    ...answer.json<{ data: Record<string, unknown>[]; next_before: string }>(),
  }
}
const rows = () => plane.app.core.db.activity.count()

it('is written soon after a request, with key, phone, response and summary, and not for reads [35.14]', async () => {
  const path = `/v1/phones/${phoneId}`
  const answers = [
    await request('PUT', `${path}/clipboard`, { text: 'my secret' }),
    await request('PATCH', path, { name: 'one', metadata: { person: 'Ada' } }),
    await request('POST', `${path}/actions`, {
      actions: [{ type: 'type', text: 'hunter2' }, { type: 'nope' }],
    }),
    await request('PUT', `${path}/files?path=/sdcard/a.txt`, '"bytes"'),
    await request('POST', '/v1/phones/ph_aaaaaaaaaaaa/park'),
  ]
  await request('GET', path)
  await request('GET', `${path}/clipboard`)
  await eventually(async () => (await rows()) >= answers.length)
  const { data } = await list()
  expect(data).toHaveLength(answers.length)
  expect(data.map((each) => each['request_id'])).toEqual(
    answers.map((answer) => answer.headers['x-request-id']).reverse(),
  )
  const [park, file, batch, update, clipboard] = data
  expect(clipboard).toMatchObject({
    key_id: tenant.caller.keyId,
    phone_id: phoneId,
    method: 'PUT',
    route: '/v1/phones/:id/clipboard',
    status: 200,
    code: null,
    summary: { text: '[redacted]' },
  })
  expect(update?.['summary']).toEqual({ name: 'one', metadata: '[redacted]' })
  expect(batch).toMatchObject({
    status: 400,
    code: 'validation_failed',
    summary: { actions: ['type', 'nope'] },
  })
  expect(file?.['summary']).toEqual({ path: '/sdcard/a.txt', bytes: 7 })
  expect(park).toMatchObject({ status: 404, code: 'phone_not_found', phone_id: 'ph_aaaaaaaaaaaa' })
  const all = JSON.stringify(data)
  for (const secret of ['my secret', 'hunter2', 'Ada', tenant.key]) expect(all).not.toContain(secret)
})

it('is paged, validated, and limited to the requested project', async () => {
  const first = await list('&limit=2')
  expect(first.data).toHaveLength(2)
  const second = await list(`&limit=100&before=${first.next_before}`)
  expect(second.next_before).toBeNull()
  expect([...first.data, ...second.data]).toEqual((await list('&limit=100')).data)
  for (const wrong of ['&limit=0', '&limit=101', '&limit=x', '&before=x', '&before=-1'])
    expect((await list(wrong)).status, wrong).toBe(400)
  const other = await plane.tenant()
  const theirs = await plane.operator.inject({
    url: `/operator/v1/activity?project=${other.projectId}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })
  expect(theirs.json()).toEqual({ data: [], next_before: null })
})

it('is kept for 30 days', async () => {
  const before = await rows()
  ahead = 29 * 86_400_000
  await forget(plane.app.core)
  expect(await rows()).toBe(before)
  ahead = 31 * 86_400_000
  await forget(plane.app.core)
  expect(await rows()).toBe(0)
})

describe('each filter', () => {
  beforeAll(async () => {
    const { db } = plane.app.core
    const { projectId } = tenant
    // The matching entries are the oldest of many.
    await db.$executeRaw`insert into activity
        (project_id, key_id, request_id, at, method, route, phone_id, status, code, ms, summary)
      select ${projectId}::text, case when n <= 3 then 'key_rare' else 'key_often' end, 'req_' || n, now(), 'POST', '/v1/phones',
        case when n <= 3 then 'ph_rare' end, case when n <= 3 then 404 else 200 end, null, 1, '{}'::jsonb
      from generate_series(1, 20000) as n`
    await db.$executeRawUnsafe('analyze activity')
  })

  it.each<[ActivityFilter, string]>([
    [{ by: 'key_rare' }, 'activity_project_id_key_id_id_idx'],
    [{ phoneId: 'ph_rare' }, 'activity_project_id_phone_id_id_idx'],
    [{ isRefused: true }, 'activity_refused_idx'],
  ])('%j finds its entries through the index %s', async (filter, index) => {
    const { projectId } = tenant
    const plan = await plane.app.core.db.$queryRaw`explain (format json) select id from activity
      where ${matching({ projectId, filter })} order by id desc limit 51`
    expect(JSON.stringify(plan)).toContain(index)
  })
})

describe('summaryOf', () => {
  it('redacts the value of every field that is not known to be harmless', () => {
    const secret = 'S3cr3t-zq'
    const text = fc.string({ unit: 'binary' }).map((around) => `${around}${secret}${around}`)
    const field = fc.oneof(
      fc.constantFrom('text', 'url', 'metadata', 'clipboard', '__proto__', 'target'),
      fc.string().filter((name) => !['name', 'locale', 'timezone', 'package', 'upload'].includes(name)),
    )
    fc.assert(
      fc.property(
        fc.dictionary(field, fc.oneof(text, fc.array(text), fc.dictionary(fc.string(), text))),
        fc.array(fc.record({ type: fc.constant('type'), text })),
        (body, actions) => {
          const harmless = { country: 1, wait: 1, observe: 1, storage_id: 1 }
          const cleaned = Object.fromEntries(Object.entries(body).filter(([name]) => !(name in harmless)))
          expect(JSON.stringify(summaryOf({ ...cleaned, actions }, undefined))).not.toContain(secret)
        },
      ),
    )
  })

  it('shortens values and redacts secrets in them', () => {
    const summary = summaryOf({ name: `prk_${'a'.repeat(43)}`, package: 'p'.repeat(1000) }, undefined)
    expect(summary['name']).toBe('prk_[redacted]')
    expect(String(summary['package']).length).toBe(201)
  })
})
