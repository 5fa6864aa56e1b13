// Operators find phones that hold a device without using it, and delete them. Projects have a limit of parked
// phones.
import { beforeAll, expect, it } from 'vitest'
import { endAbandoned } from '../../rental/phones/abandoned.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const day = 86_400_000
const world = useWorld()
let plane: Plane
let tenant: Tenant

beforeAll(async () => {
  plane = await world.start()
  await plane.rack(3)
  tenant = await plane.tenant()
})

type Method = 'GET' | 'PATCH' | 'DELETE'
async function call(method: Method, path: string, payload?: object) {
  const answer = await plane.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    ...(payload ? { payload } : {}),
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}
const statusOf = async (id: string) => (await plane.app.services.phones.get(tenant.caller, id)).status
async function parkedPhone(): Promise<string> {
  const id = await readyPhone(plane, tenant)
  await plane.app.services.phones.park(tenant.caller, id)
  await eventually(async () => (await statusOf(id)) === 'parked')
  return id
}
const listed = async (query: string) =>
  ((await call('GET', `/phones${query}`)).body['data'] as { id: string }[]).map(({ id }) => id)

it('lists the phones of all projects in pages, and the phones that have been stopped for a given time', async () => {
  const other = await plane.tenant()
  const running = await readyPhone(plane, other)
  const parked = await parkedPhone()
  await plane.app.core.db.session.updateMany({
    where: { phoneId: parked },
    data: { startedAt: new Date(Date.now() - 9 * day), endedAt: new Date(Date.now() - 8 * day) },
  })
  expect(await listed('')).toEqual([parked, running])
  expect(await listed(`?project=${other.projectId}`)).toEqual([running])
  expect(await listed('?status=parked')).toEqual([parked])
  expect(await listed(`?stopped_for=${7 * 86_400}`)).toEqual([parked])
  expect(await listed(`?stopped_for=${9 * 86_400}`)).toEqual([])
  const figure = /^phonerack_phones_parked\{from="7d"\} 1$/m
  await eventually(async () => figure.test(await plane.app.metrics.render()))
  const first = await call('GET', '/phones?limit=1')
  expect(await listed(`?limit=1&before=${String(first.body['next_before'])}`)).toEqual([running])
  for (const wrong of ['status=lost', 'stopped_for=soon', 'limit=0', 'before=no', 'project=a&project=b'])
    expect([wrong, (await call('GET', `/phones?${wrong}`)).status]).toEqual([wrong, 400])
  const shown = (await call('GET', `/phones/${parked}`)).body
  expect(shown).toMatchObject({ id: parked, project_id: tenant.projectId, status: 'parked', on_idle: 'park' })
  expect([shown['host_name'], shown['stopped_at']]).toEqual(['rack-1', expect.stringMatching(/Z$/)])
  expect((await call('GET', '/phones/ph_aaaaaaaaaaaa')).status).toBe(404)
  for (const [{ caller }, id] of [[other, running] as const, [tenant, parked] as const])
    await plane.app.services.phones.delete(caller, id)
})

it('deletes a phone of a project, shows the project the reason, and charges its open session', async () => {
  const parked = await parkedPhone()
  const running = await readyPhone(plane, tenant)
  expect((await call('DELETE', `/phones/${parked}`)).status).toBe(400)
  expect((await call('DELETE', `/phones/${parked}`, { reason: 'a\u0007' })).status).toBe(400)
  const reason = 'unused since May'
  for (const id of [parked, running]) {
    const answer = await call('DELETE', `/phones/${id}`, { reason })
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'deleted', device_id: null } })
    const { failure } = await plane.app.services.phones.get(tenant.caller, id)
    expect(failure).toMatchObject({
      code: 'phone_deleted',
      message: `The operator deleted the phone: ${reason}`,
    })
  }
  const { db } = plane.app.core
  const session = await db.session.findFirstOrThrow({ where: { phoneId: running } })
  expect(session).toMatchObject({ endReason: 'deleted', billedSeconds: 60 })
  await eventually(
    async () => (await db.event.count({ where: { phoneId: running, type: 'phone.deleted' } })) === 1,
  )
  const event = await db.event.findFirstOrThrow({ where: { phoneId: running, type: 'phone.deleted' } })
  expect(event.data).toMatchObject({ phone: { failure: { code: 'phone_deleted' } } })
  const [entry] = await db.auditEntry.findMany({ where: { action: 'phone.delete', target: running } })
  expect(entry).toMatchObject({ before: { status: 'ready' }, after: { status: 'deleted', reason } })
  // A repeated request changes nothing.
  expect((await call('DELETE', `/phones/${running}`, { reason: 'again' })).body).toMatchObject({
    failure_message: `The operator deleted the phone: ${reason}`,
  })
  expect((await call('DELETE', '/phones/ph_aaaaaaaaaaaa', { reason })).status).toBe(404)
  expect(await brokenInvariants(db)).toEqual([])
})

it('tells the project a day before the service deletes an abandoned phone', async () => {
  const { core } = plane.app
  const id = await parkedPhone()
  const times = { startedAt: new Date(Date.now() - 41 * day), endedAt: new Date(Date.now() - 40 * day) }
  await core.db.session.updateMany({ where: { phoneId: id }, data: times })
  const rules = { ...core.rules, parkedTtlMs: 30 * day }
  const before = Date.now()
  for (let times = 0; times < 2; times += 1) await endAbandoned({ ...core, rules }, new Date())
  const events = () => core.db.event.findMany({ where: { phoneId: id, type: 'phone.expiring' } })
  await eventually(async () => (await events()).length > 0)
  const answer = await plane.server.inject({
    url: `/v1/events?type=phone.expiring&phone=${id}`,
    headers: { authorization: `Bearer ${tenant.key}` },
  })
  const [event, ...more] = answer.json<{ data: { data: { phone: Record<string, unknown> } }[] }>().data
  expect(more).toEqual([])
  expect(event?.data.phone).toMatchObject({ id, status: 'parked', metadata: {} })
  const deletesAt = Date.parse(String(event?.data.phone['deletes_at']))
  expect(deletesAt).toBeGreaterThanOrEqual(before + day)
  expect((await call('GET', `/phones/${id}`)).body['deletes_at']).toBe(new Date(deletesAt).toISOString())
  await plane.app.services.phones.delete(tenant.caller, id)
})

it('refuses only creates while a project has as many parked phones as its limit', async () => {
  const { phones } = plane.app.services
  const limited = await call('PATCH', `/projects/${tenant.projectId}`, { parked_limit: 1 })
  expect(limited.body).toMatchObject({ parked_limit: 1 })
  const parked = await parkedPhone()
  const refused = await phones.create(tenant.caller, createBody(), null).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'phone_limit_reached', details: { limit: 1 } })
  await phones.start(tenant.caller, parked, { idleTimeout: null, maxDuration: null })
  await eventually(async () => (await statusOf(parked)) === 'ready')
  const second = await readyPhone(plane, tenant)
  for (const id of [parked, second]) await phones.park(tenant.caller, id)
  expect(await refusalOf(phones.create(tenant.caller, createBody(), null))).toBe('phone_limit_reached')
  expect((await call('PATCH', `/projects/${tenant.projectId}`, { parked_limit: null })).body).toMatchObject({
    parked_limit: null,
  })
  const third = await readyPhone(plane, tenant)
  for (const id of [parked, second, third]) await phones.delete(tenant.caller, id)
})
