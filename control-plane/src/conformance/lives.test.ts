// Phones, sessions and accounts in the API while phones run, fail and are paid for. Runs over HTTP with real
// Postgres, broker and jobs; the agent is a double.
import { ApiError } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accountSchema, phoneSchema, sessionPageSchema, type PhoneJson } from '../api/routes/schemas.js'
import { type AgentDouble } from '../testing/agent-double.js'
import { errorOf, expectConventions, expectFailure } from '../testing/api.js'
import { eventually, useWorld, type Plane, type Tenant } from '../testing/world.js'
import { changeProject, createKey } from '../testing/operator.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_LIFECYCLE_PER_MINUTE: '1000000' } })
  agent = await plane.rack(1, { beatMs: 200 })
})
beforeEach(async () => {
  await isFree()
  tenant = await plane.tenant({ credit: '10', spendLimit: '5', maxPhones: 7, maxRunning: 2 })
})

/** The only device is wiped after each phone. */
const isFree = () =>
  eventually(
    async () => (await plane.app.core.db.device.count({ where: { state: 'free', link: 'healthy' } })) === 1,
  )

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
async function ask(method: Method, url: string, body?: object, more: { key?: string; name?: string } = {}) {
  const response = await plane.server.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${more.key ?? tenant.key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(more.name === undefined ? {} : { 'idempotency-key': more.name }),
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  })
  expectConventions(response)
  return response
}
type Answer = Awaited<ReturnType<typeof ask>>
const phoneIn = (response: Answer): PhoneJson => {
  expect(response.statusCode, response.body).toBeLessThan(300)
  return phoneSchema.strict().parse(response.json())
}
const sessionsOf = async (id: string) =>
  sessionPageSchema.strict().parse((await ask('GET', `/v1/phones/${id}/sessions`)).json()).data
const account = async () => accountSchema.strict().parse((await ask('GET', '/v1/account')).json())
const device = () => {
  const found = [...agent.devices.values()][0]
  if (!found) throw new Error('no device')
  return found
}
const time = (text: string | null | undefined): number => {
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  return Date.parse(text ?? '')
}
/** Holds the device's start until `release`. */
function holdStart(): () => void {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  device().onStart = () => held
  return () => {
    release()
    delete device().onStart
  }
}

/** Advances past the three-minute deadline, without waiting. */
async function timeIsOver(id: string): Promise<void> {
  const { db } = plane.app.core
  await db.phone.update({ where: { id }, data: { startDeadlineAt: new Date(Date.now() - 1) } })
  const { id: sessionId } = await db.session.findFirstOrThrow({ where: { phoneId: id } })
  await db.$executeRaw`update graphile_worker._private_jobs set run_at = now()
    where key = ${`deadline:${sessionId}`}`
}

describe('a phone', () => {
  it('uses its ID as a default name, and shows the same session as its list of sessions [3.2, 3.3, 3.14, 3.16, 3.21]', async () => {
    // Times of phones are Postgres's times, from which this machine's clock may differ.
    const before = plane.app.core.clock.now().getTime()
    const phone = phoneIn(await ask('POST', '/v1/phones', { idle_timeout: 60, max_duration: 600 }))
    expect(phone.id).toMatch(/^ph_[a-z2-7]{12}$/)
    expect(phone).toMatchObject({
      object: 'phone',
      name: phone.id,
      status: 'ready',
      country: null,
      metadata: {},
    })
    expect(phone.failure).toBeNull()
    const { session } = phone
    expect(session?.id).toMatch(/^ses_[a-z2-7]{12}$/)
    expect(session).toMatchObject({ idle_timeout: 60, max_duration: 600, reserved_usd: '0.600000' })
    // The session starts when the phone is created; the phone's activity starts when it is ready.
    expect(session?.started_at).toBe(phone.created_at)
    expect(time(phone.created_at)).toBeGreaterThanOrEqual(before)
    expect(time(session?.ready_at)).toBeGreaterThanOrEqual(time(session?.started_at))
    expect(phone.last_active_at).toBe(session?.ready_at)
    expect([time(session?.parks_at), session?.park_reason]).toEqual([
      time(phone.last_active_at) + 60_000,
      'idle',
    ])
    expect(await sessionsOf(phone.id)).toEqual([
      {
        id: session?.id,
        started_at: session?.started_at,
        ready_at: session?.ready_at,
        ended_at: null,
        end_reason: null,
        billed_seconds: null,
        cost_usd: null,
        reserved_usd: '0.600000',
      },
    ])
    phoneIn(await ask('DELETE', `/v1/phones/${phone.id}`))
  })

  it('has no activity before it is ready; its deadline parks it; a poll returns when it is ready [3.6, 3.7, 3.8, 3.15, 4.12, 4.25, 6.6, 20.52]', async () => {
    const release = holdStart()
    const created = await ask('POST', '/v1/phones', {
      wait: false,
      name: ' A ',
      country: 'US',
      metadata: { a: 'b' },
    })
    expect(created.statusCode).toBe(202)
    const phone = phoneIn(created)
    expect(phone).toMatchObject({ name: 'A', status: 'creating', country: 'US', metadata: { a: 'b' } })
    expect([phone.last_active_at, phone.session?.ready_at]).toEqual([null, null])
    expect(phone.session).toMatchObject({ idle_timeout: 300, max_duration: 900, park_reason: 'max_duration' })
    expect(time(phone.session?.parks_at)).toBe(time(phone.session?.started_at) + 900_000)
    // Requests do not change the phone's activity.
    expect(phoneIn(await ask('GET', `/v1/phones/${phone.id}`)).last_active_at).toBeNull()
    const poll = ask('GET', `/v1/phones/${phone.id}?wait=ready`)
    release()
    const ready = phoneIn(await poll)
    expect([ready.status, ready.last_active_at]).toEqual(['ready', ready.session?.ready_at])
    phoneIn(await ask('DELETE', `/v1/phones/${phone.id}`))
  })

  it('is charged a minute when its client parks it before it is ready [3.33]', async () => {
    const release = holdStart()
    const { id } = phoneIn(await ask('POST', '/v1/phones', { wait: false }))
    const parked = phoneIn(await ask('POST', `/v1/phones/${id}/park`))
    release()
    expect([parked.status, parked.session]).toEqual(['parked', null])
    const [session] = await sessionsOf(id)
    expect(session).toMatchObject({
      ready_at: null,
      end_reason: 'parked',
      billed_seconds: 60,
      cost_usd: '0.060000',
    })
    expect((await account()).balance_usd).toBe('9.940000')
    phoneIn(await ask('DELETE', `/v1/phones/${id}`))
  })

  it('without a free device fails the waiting request, costs nothing, holds nothing, and stays failed [3.12, 3.25, 3.32, 4.7, 4.21, 6.12, 6.14, 8.4, 8.5, 22.21, 23.24]', async () => {
    device().onStart = () => Promise.reject(new ApiError('phone_unavailable'))
    const before = await account()
    const name = 'one-that-fails'
    const created = ask('POST', '/v1/phones', { max_duration: 60 }, { name })
    await eventually(
      async () => (await plane.app.core.db.phone.count({ where: { status: 'creating' } })) === 1,
    )
    const { id } = await plane.app.core.db.phone.findFirstOrThrow({ where: { status: 'creating' } })
    const poll = ask('GET', `/v1/phones/${id}?wait=ready`)
    await timeIsOver(id)
    expectFailure(await created, 503, 'capacity_unavailable', id)
    expectFailure(await poll, 503, 'capacity_unavailable', id)
    delete device().onStart

    const failed = phoneIn(await ask('GET', `/v1/phones/${id}?wait=ready`))
    expect([failed.status, failed.session]).toEqual(['failed', null])
    expect(failed.failure?.code).toBe('capacity_unavailable')
    expect(failed.failure?.message).not.toBe('')
    time(failed.failure?.at)
    expect(await sessionsOf(id)).toMatchObject([
      {
        end_reason: 'failed',
        ready_at: null,
        billed_seconds: 0,
        cost_usd: '0.000000',
        reserved_usd: '0.060000',
      },
    ])
    expect(await account()).toEqual(before)
    expect(await plane.app.core.db.device.count({ where: { phoneId: id } })).toBe(0)
    const replay = await ask('POST', '/v1/phones', { max_duration: 60 }, { name })
    expect([replay.statusCode, phoneIn(replay)]).toEqual([202, failed])
    const used = errorOf(await ask('GET', `/v1/phones/${id}/observe`), 409, 'phone_failed')
    expect([used.retryable, used.next]).toEqual([false, 'Create a new phone: POST /v1/phones'])
    expect(phoneIn(await ask('DELETE', `/v1/phones/${id}`)).status).toBe('deleted')
  })
})

describe('a create', () => {
  it('with an unknown country is refused before the scope is checked, and creates or holds nothing [5.3, 6.5]', async () => {
    const before = await account()
    const preset = 'read-only' as const
    const { key } = await createKey(plane.app.core, { project: tenant.projectId, preset, expires: 'never' })
    for (const each of [tenant.key, key])
      for (const country of ['ZZ', 'us', '']) {
        const refused = await ask('POST', '/v1/phones', { country }, { key: each })
        const { details } = errorOf(refused, 400, 'validation_failed')
        expect(details.issues).toMatchObject([{ path: ['country'], alternatives: ['US'] }])
      }
    errorOf(await ask('POST', '/v1/phones', { country: 'US' }, { key }), 403, 'insufficient_scope')
    expect(await account()).toEqual(before)
    expect(await plane.app.core.db.phone.count({ where: { projectId: tenant.projectId } })).toBe(0)
  })

  it('without a duration uses the duration that the credit covers, and reports the affordable duration otherwise [6.7]', async () => {
    await changeProject(plane.app.core, tenant.projectId, { credit_usd: '-9.7' })
    const { details, next } = errorOf(
      await ask('POST', '/v1/phones', { max_duration: 301 }),
      402,
      'insufficient_credits',
    )
    expect(details).toEqual({ max_affordable_seconds: 300 })
    expect(next).toBe(
      'Send `max_duration` 300 or less, or ask the operator of this service to add credit to the project.',
    )
    const phone = phoneIn(await ask('POST', '/v1/phones'))
    expect(phone.session).toMatchObject({ max_duration: 300, reserved_usd: '0.300000' })
    phoneIn(await ask('DELETE', `/v1/phones/${phone.id}`))
  })
})

describe('the account', () => {
  it('shows credit, reservations, spending, limits and prices [14.1, 20.53]', async () => {
    const fresh = {
      project: 'Test project',
      balance_usd: '10.000000',
      reserved_usd: '0.000000',
      spend_limit_usd: '5.000000',
      spent_this_month_usd: '0.000000',
      limits: { phones: 7, running: 2 },
      running: 0,
      phones: 0,
      price: { per_minute_usd: '0.060000', minimum_seconds: 60 },
      countries: [{ code: 'US', name: 'United States' }],
    }
    expect(await account()).toEqual(fresh)
    const { id } = phoneIn(await ask('POST', '/v1/phones', { max_duration: 100 }))
    expect(await account()).toEqual({ ...fresh, reserved_usd: '0.100000', running: 1, phones: 1 })
    phoneIn(await ask('POST', `/v1/phones/${id}/start`, { max_duration: 200 }))
    expect((await account()).reserved_usd).toBe('0.300000')
    phoneIn(await ask('POST', `/v1/phones/${id}/park`))
    const spent = { balance_usd: '9.940000', spent_this_month_usd: '0.060000' }
    expect(await account()).toEqual({ ...fresh, ...spent, phones: 1 })
    phoneIn(await ask('DELETE', `/v1/phones/${id}`))
    expect(await account()).toEqual({ ...fresh, ...spent })
  })

  it('counts sessions that ended this calendar month (UTC) against the monthly limit [14.2, 23.8]', async () => {
    const { id } = phoneIn(await ask('POST', '/v1/phones', { max_duration: 60 }))
    phoneIn(await ask('DELETE', `/v1/phones/${id}`))
    const { db } = plane.app.core
    const now = new Date()
    const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
    const endedAt = (at: number) =>
      db.session.updateMany({
        where: { phoneId: id },
        data: { startedAt: new Date(at - 60_000), readyAt: null, endedAt: new Date(at) },
      })
    await changeProject(plane.app.core, tenant.projectId, { spend_limit_usd: '0.1' })
    await endedAt(month)
    expect((await account()).spent_this_month_usd).toBe('0.060000')
    const create = () => ask('POST', '/v1/phones', { max_duration: 60 })
    await isFree()
    errorOf(await create(), 402, 'spend_limit_reached')
    await endedAt(month - 1)
    expect((await account()).spent_this_month_usd).toBe('0.000000')
    phoneIn(await ask('DELETE', `/v1/phones/${phoneIn(await create()).id}`))
  })

  it('lists the countries of all racks, sorted by name, each available for phones [6.4, 14.5]', async () => {
    const abroad = await plane.agent('abroad', { country: 'AE' })
    await plane.agent('more abroad', { country: 'DE' })
    expect((await account()).countries).toEqual([
      { code: 'DE', name: 'Germany' },
      { code: 'AE', name: 'United Arab Emirates' },
      { code: 'US', name: 'United States' },
    ])
    // The country's code is valid, but no device is there.
    errorOf(await ask('POST', '/v1/phones', { country: 'AE' }), 503, 'capacity_unavailable')
    await plane.app.core.db.host.update({ where: { id: abroad.hostId }, data: { retiredAt: new Date() } })
    errorOf(await ask('POST', '/v1/phones', { country: 'AE' }), 400, 'validation_failed')
  })
})
