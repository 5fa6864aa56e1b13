/** What each phone route answers, and what it asks of the services below. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorOf, expectConventions, testApi, type TestApi } from '../../testing/api.js'
import type { SessionView } from '../../services.js'
import { accountSchema, phonePageSchema, phoneSchema, sessionPageSchema, type PhoneJson } from '../schemas.js'

let api: TestApi
beforeEach(async () => {
  api = await testApi({ requestsPerKeyPerMinute: 100_000, lifecycleWait: 0.25 })
})
afterEach(() => api.app.close())

const json = { 'content-type': 'application/json' }
const post = (url: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  api.request('POST', url, { headers: { ...json, ...headers }, payload: JSON.stringify(body) })
const onlyPhone = (): string => [...api.services.phonesById.keys()].at(-1) ?? ''

const failure = { code: 'capacity_unavailable', message: 'No device was found.', at: new Date() }

/** The failure of a phone while a request waited for it. */
function expectFailure(response: Awaited<ReturnType<typeof post>>, status: number, code: string, id: string) {
  const error = errorOf(response, status, code)
  expect(error.retryable).toBe(false)
  expect(error.details['phone']).toBe(id)
  expect(error.next).toMatch(/create a new phone: POST \/v1\/phones$/)
  expect(response.headers['retry-after']).toBeUndefined()
  return error
}

describe('POST /v1/phones', () => {
  it('answers 201 with the phone and its path when it is ready', async () => {
    const response = await post('/v1/phones', { name: '  My phone ', metadata: { a: 'b' }, max_duration: 60 })
    expect(response.statusCode).toBe(201)
    expectConventions(response)
    const phone = phoneSchema.strict().parse(response.json())
    expect(response.headers.location).toBe(`/v1/phones/${phone.id}`)
    expect(phone).toMatchObject({ object: 'phone', name: 'My phone', status: 'ready', metadata: { a: 'b' } })
    expect(api.services.called('create')[0]?.args.slice(1)).toEqual([
      { name: 'My phone', country: null, metadata: { a: 'b' }, idleTimeout: 300, maxDuration: 60 },
      null,
    ])
    expect(api.services.called('wait')).toEqual([])
  })

  it('writes times with milliseconds and money with six decimals', async () => {
    const phone = (await post('/v1/phones')).json<PhoneJson>()
    expect(phone.created_at).toBe('2026-01-02T03:04:05.006Z')
    expect(phone.session).toMatchObject({
      reserved_usd: '0.900000',
      parks_at: '2026-01-02T03:09:05.006Z',
      park_reason: 'idle',
    })
  })

  it('waits until the phone is ready', async () => {
    api.services.createAs = 'creating'
    const answer = post('/v1/phones')
    await expect.poll(() => api.services.called('wait').length).toBe(1)
    api.services.move(onlyPhone(), { status: 'starting' })
    api.services.move(onlyPhone(), { status: 'ready' })
    expect((await answer).statusCode).toBe(201)
  })

  it('answers 202 when the wait ends first, or was not wanted', async () => {
    api.services.createAs = 'creating'
    const waited = await post('/v1/phones')
    expect([waited.statusCode, waited.json<PhoneJson>().status]).toEqual([202, 'creating'])
    expect(api.services.called('wait')).toHaveLength(1)
    const unwaited = await post('/v1/phones', { wait: false })
    expect(unwaited.statusCode).toBe(202)
    expect(unwaited.headers.location).toBe(`/v1/phones/${unwaited.json<PhoneJson>().id}`)
    expect(api.services.called('wait')).toHaveLength(1)
  })

  it('answers 202 when the wait itself breaks, since the phone was made', async () => {
    api.services.createAs = 'creating'
    api.services.failures.set('wait', new Error('broker gone'))
    expect((await post('/v1/phones')).statusCode).toBe(202)
  })

  it.each([
    ['capacity_unavailable', 503, 'capacity_unavailable'],
    ['validation_failed', 400, 'validation_failed'],
    ['phone_unavailable', 503, 'phone_unavailable'],
    ['internal_error', 500, 'internal_error'],
    ['something_new', 502, 'provider_error'],
  ])('answers the failure %s that comes while it waits', async (code, status, answered) => {
    api.services.createAs = 'creating'
    const answer = post('/v1/phones')
    await expect.poll(() => api.services.called('wait').length).toBe(1)
    const id = onlyPhone()
    api.services.move(id, { status: 'failed', session: null, failure: { ...failure, code } })
    const { details } = expectFailure(await answer, status, answered, id)
    if (code === 'validation_failed') expect(details.issues?.[0]?.path).toEqual(['country'])
  })

  it('returns the phone of an Idempotency-Key, whatever the order of fields and `wait`', async () => {
    const headers = { 'idempotency-key': 'my-key-01' }
    const first = await post('/v1/phones', { name: 'a', metadata: { x: '1', y: '2' } }, headers)
    const again = await post('/v1/phones', { wait: false, metadata: { y: '2', x: '1' }, name: 'a' }, headers)
    expect(again.json()).toEqual(first.json())
    expect(again.statusCode).toBe(201)
    const spelt = await post(
      '/v1/phones',
      { name: ' a ', metadata: { y: '2', x: '1' }, idle_timeout: 300 },
      headers,
    )
    expect(spelt.json<PhoneJson>().id).toBe(first.json<PhoneJson>().id)
    errorOf(
      await post('/v1/phones', { name: 'b', metadata: { x: '1', y: '2' } }, headers),
      409,
      'idempotency_conflict',
    )
    errorOf(
      await post('/v1/phones', { name: 'a', metadata: { x: '1', y: '2' }, max_duration: 900 }, headers),
      409,
      'idempotency_conflict',
    )
  })

  it('shows a phone that failed or was deleted earlier to a replay', async () => {
    const headers = { 'idempotency-key': 'my-key-02' }
    await post('/v1/phones', {}, headers)
    for (const status of ['failed', 'deleted'] as const) {
      api.services.move(onlyPhone(), { status, session: null, failure })
      const replay = await post('/v1/phones', {}, headers)
      expect([replay.statusCode, replay.json<PhoneJson>().status]).toEqual([202, status])
    }
  })

  it('adds Retry-After to refusals that pass with time', async () => {
    const { ApiError } = await import('@phonerack/shared')
    api.services.failures.set('create', new ApiError('capacity_unavailable'))
    const full = await post('/v1/phones')
    expect(errorOf(full, 503, 'capacity_unavailable').retryable).toBe(true)
    expect(full.headers['retry-after']).toBe('30')
    api.services.failures.set('create', new ApiError('rate_limited', { retryAfterSeconds: 12 }))
    const fast = await post('/v1/phones')
    expect(errorOf(fast, 429, 'rate_limited').details).toEqual({ retry_after_seconds: 12 })
    expect(fast.headers['retry-after']).toBe('12')
  })
})

describe('GET /v1/phones', () => {
  it('passes filters and pages on', async () => {
    api.services.phone()
    const response = await api.request(
      'GET',
      '/v1/phones?status=parked&metadata[team]=a%20b&limit=7&cursor=abc',
    )
    phonePageSchema.strict().parse(response.json())
    expect(response.json()).toMatchObject({ next_cursor: 'next' })
    expect(api.services.called('list')[0]?.args[1]).toEqual({
      status: 'parked',
      metadata: { key: 'team', value: 'a b' },
      limit: 7,
      cursor: 'abc',
    })
    await api.request('GET', '/v1/phones')
    expect(api.services.called('list')[1]?.args[1]).toEqual({
      status: null,
      metadata: null,
      limit: 50,
      cursor: null,
    })
  })

  it('gives a limited key one page, whatever it asks', async () => {
    const ids = [api.services.phone().id, api.services.phone().id]
    const response = await api.request('GET', '/v1/phones?limit=1&cursor=nonsense', {
      key: api.services.key('agent', ids),
    })
    expect(response.json<{ data: unknown[] }>().data).toHaveLength(2)
    expect(response.json<{ next_cursor: unknown }>().next_cursor).toBeNull()
    expect(api.services.called('list')[0]?.args[1]).toMatchObject({ cursor: null, limit: 100 })
  })
})

describe('GET /v1/phones/{id}', () => {
  it('asks once and notes the activity', async () => {
    const { id } = api.services.phone()
    const response = await api.request('GET', `/v1/phones/${id}`)
    phoneSchema.strict().parse(response.json())
    expect(api.services.calls.map(({ name }) => name)).toEqual(['authenticate', 'get', 'touch'])
  })

  it.each([
    'ph_',
    'ph_AAAAAAAAAAAA',
    'ph_aaaaaaaaaaa',
    'ph_aaaaaaaaaaaaa',
    'ph_aaaaaaaaaaa1',
    'x'.repeat(5000),
    '..%2f',
    '%F0%9F%98%80',
  ])('says 404 for %s without asking', async (id) => {
    const error = errorOf(await api.request('GET', `/v1/phones/${id}`), 404, 'phone_not_found')
    expect(error.details).toEqual({ phone: decodeURIComponent(id) })
    expect(api.services.called('get')).toEqual([])
  })

  it('goes on when the activity cannot be noted', async () => {
    const { id } = api.services.phone()
    api.services.failures.set('touch', new Error('down'))
    expect((await api.request('GET', `/v1/phones/${id}`)).statusCode).toBe(200)
  })

  describe('wait=ready', () => {
    it.each(['ready', 'parking', 'parked', 'unavailable', 'failed', 'deleted'] as const)(
      'answers at once when %s',
      async (status) => {
        const { id } = api.services.phone(status, { failure: status === 'failed' ? failure : null })
        const response = await api.request('GET', `/v1/phones/${id}?wait=ready`)
        expect([response.statusCode, response.json<PhoneJson>().status]).toEqual([200, status])
        expect(api.services.called('wait')).toEqual([])
      },
    )

    it.each(['ready', 'parking', 'parked', 'unavailable', 'deleted'] as const)(
      'wakes when it becomes %s',
      async (status) => {
        const { id } = api.services.phone('starting')
        const answer = api.request('GET', `/v1/phones/${id}?wait=ready`)
        await expect.poll(() => api.services.called('wait').length).toBe(1)
        expect(api.services.called('wait')[0]?.args[1]).toBe(50_000)
        api.services.move(id, { status })
        expect((await answer).json<PhoneJson>().status).toBe(status)
      },
    )

    it('answers with the phone as it is when the time is over', async () => {
      const { id } = api.services.phone('creating')
      const began = performance.now()
      const response = await api.request('GET', `/v1/phones/${id}?wait=ready&timeout=1`)
      expect(performance.now() - began).toBeGreaterThan(950)
      expect([response.statusCode, response.json<PhoneJson>().status]).toEqual([200, 'creating'])
    })

    it('answers a failure meanwhile as an error', async () => {
      const { id } = api.services.phone('creating')
      const answer = api.request('GET', `/v1/phones/${id}?wait=ready`)
      await expect.poll(() => api.services.called('wait').length).toBe(1)
      api.services.move(id, { status: 'failed', failure: { ...failure, code: 'internal_error' } })
      expectFailure(await answer, 500, 'internal_error', id)
    })
  })

  describe('wait=parked', () => {
    it.each(['parked', 'failed', 'deleted'] as const)('answers at once when %s', async (status) => {
      const { id } = api.services.phone(status)
      expect((await api.request('GET', `/v1/phones/${id}?wait=parked`)).json<PhoneJson>().status).toBe(status)
      expect(api.services.called('wait')).toEqual([])
    })

    it('waits while it is anything else, and counts as no activity', async () => {
      const { id } = api.services.phone('ready')
      const answer = api.request('GET', `/v1/phones/${id}?wait=parked&timeout=5`)
      await expect.poll(() => api.services.called('wait').length).toBe(1)
      for (const status of ['parking', 'unavailable', 'starting'] as const) api.services.move(id, { status })
      await sleep(50)
      api.services.move(id, { status: 'parked' })
      expect((await answer).json<PhoneJson>().status).toBe('parked')
      expect(api.services.called('touch')).toEqual([])
    })
  })

  it('ends its waits when the server stops', async () => {
    const { id } = api.services.phone('creating')
    const answer = api.request('GET', `/v1/phones/${id}?wait=ready`)
    await expect.poll(() => api.services.called('wait').length).toBe(1)
    const began = performance.now()
    await api.app.close()
    expect((await answer).json<PhoneJson>().status).toBe('creating')
    expect(performance.now() - began).toBeLessThan(1000)
  })
})

describe('PATCH /v1/phones/{id}', () => {
  it.each([
    [{}, {}],
    [{ name: ' b ' }, { name: 'b' }],
    [{ metadata: {} }, { metadata: {} }],
    [
      { name: 'b', metadata: { k: 'v' } },
      { name: 'b', metadata: { k: 'v' } },
    ],
  ])('%j changes %j', async (body, change) => {
    const { id } = api.services.phone()
    const response = await api.request('PATCH', `/v1/phones/${id}`, {
      headers: json,
      payload: JSON.stringify(body),
    })
    expect(response.statusCode).toBe(200)
    expect(phoneSchema.strict().parse(response.json())).toMatchObject(change)
    expect(api.services.called('update')[0]?.args[2]).toEqual(change)
  })
})

describe('DELETE /v1/phones/{id}', () => {
  it('answers the deleted phone, again too', async () => {
    const { id } = api.services.phone()
    const key = api.services.key('admin')
    for (let times = 0; times < 2; times += 1) {
      const response = await api.request('DELETE', `/v1/phones/${id}`, { key })
      expect([response.statusCode, response.json<PhoneJson>().status]).toEqual([200, 'deleted'])
    }
  })
})

describe('POST start, park, heartbeat', () => {
  it('start answers 200 once ready, with what it was given', async () => {
    const { id } = api.services.phone('parked')
    const answer = post(`/v1/phones/${id}/start`, { idle_timeout: 60 })
    await expect.poll(() => api.services.called('wait').length).toBe(1)
    api.services.move(id, { status: 'ready' })
    expect((await answer).statusCode).toBe(200)
    expect(api.services.called('start')[0]?.args[2]).toEqual({ idleTimeout: 60, maxDuration: null })
  })

  it('start answers 202 while starting, and the failure that comes meanwhile', async () => {
    const { id } = api.services.phone('parked')
    expect((await post(`/v1/phones/${id}/start`, { wait: false })).statusCode).toBe(202)
    expect((await post(`/v1/phones/${id}/start`)).statusCode).toBe(202)
    const answer = post(`/v1/phones/${id}/start`)
    await expect.poll(() => api.services.called('wait').length).toBe(2)
    api.services.move(id, { status: 'failed', failure })
    expectFailure(await answer, 503, 'capacity_unavailable', id)
  })

  it('start of a phone that parks again meanwhile is 202', async () => {
    const { id } = api.services.phone('parked')
    const answer = post(`/v1/phones/${id}/start`)
    await expect.poll(() => api.services.called('wait').length).toBe(1)
    api.services.move(id, { status: 'parked', failure })
    expect((await answer).statusCode).toBe(202)
  })

  it('park answers 200 once parked and 202 before', async () => {
    const { id } = api.services.phone('ready')
    expect((await post(`/v1/phones/${id}/park`, { wait: false })).statusCode).toBe(202)
    const answer = post(`/v1/phones/${id}/park`)
    await expect.poll(() => api.services.called('wait').length).toBe(1)
    api.services.move(id, { status: 'parked' })
    expect((await answer).statusCode).toBe(200)
    expect((await post(`/v1/phones/${id}/park`)).statusCode).toBe(200)
    expect(api.services.called('wait')).toHaveLength(1)
  })

  it('heartbeat answers the phone', async () => {
    const { id } = api.services.phone('ready')
    const response = await api.request('POST', `/v1/phones/${id}/heartbeat`)
    phoneSchema.strict().parse(response.json())
    api.services.move(id, { status: 'parked' })
    errorOf(await api.request('POST', `/v1/phones/${id}/heartbeat`), 409, 'phone_not_running')
  })
})

describe('GET sessions and account', () => {
  it('lists sessions with money and times', async () => {
    const { id } = api.services.phone()
    const at = new Date('2026-01-01T00:00:00.000Z')
    const open: SessionView = {
      id: 'ses_aaaaaaaaaaaa',
      startedAt: at,
      readyAt: null,
      endedAt: null,
      endReason: null,
      billedSeconds: null,
      costMicros: null,
      reservedMicros: 900_000n,
    }
    api.services.sessionsOfAll = [
      open,
      { ...open, endedAt: at, endReason: 'idle', billedSeconds: 0, costMicros: 0n },
    ]
    const response = await api.request('GET', `/v1/phones/${id}/sessions?limit=2`)
    const page = sessionPageSchema.strict().parse(response.json())
    expect(page.data[0]).toMatchObject({ cost_usd: null, billed_seconds: null, reserved_usd: '0.900000' })
    expect(page.data[1]).toMatchObject({ cost_usd: '0.000000', billed_seconds: 0, end_reason: 'idle' })
    expect(api.services.called('sessions')[0]?.args[2]).toEqual({ limit: 2, cursor: null })
  })

  it('shows the account', async () => {
    const response = await api.request('GET', '/v1/account')
    expect(accountSchema.strict().parse(response.json())).toEqual({
      project: 'test',
      balance_usd: '12.345678',
      reserved_usd: '0.900000',
      spend_limit_usd: '1000.000000',
      spent_this_month_usd: '0.060000',
      limits: { phones: 5, running: 3 },
      running: 1,
      phones: 2,
      price: { per_minute_usd: '0.060000', minimum_seconds: 60 },
      countries: [{ code: 'US', name: 'United States' }],
    })
  })
})
