/** POST /v1/phones: what it asks of the services, waits for and answers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '@phonerack/shared'
import {
  errorOf,
  expectConventions,
  expectFailure,
  sendJson,
  testApi,
  type TestApi,
} from '../../testing/api.js'
import { phoneSchema, type PhoneJson } from '../schemas.js'

let api: TestApi
beforeEach(async () => {
  api = await testApi({ requestsPerKeyPerMinute: 100_000, lifecycleWait: 0.25 })
})
afterEach(() => api.app.close())

const post = (url: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  sendJson(api, 'POST', url, body, headers)
const onlyPhone = (): string => [...api.services.phonesById.keys()].at(-1) ?? ''
const failure = { code: 'capacity_unavailable', message: 'No device was found.', at: new Date() }

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
