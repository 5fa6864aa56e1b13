/** POST /v1/phones: its calls of services, its wait and its responses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '@phonerack/shared'
import {
  errorOf,
  expectConventions,
  expectFailure,
  sendJson,
  startApi,
  type TestApi,
} from '../../../testing/api.js'
import { canonicalHash } from '../../http/canonical.js'
import { eventually } from '../../../testing/world.js'
import { phoneSchema, type PhoneJson } from '../schemas.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ devices: 16 })
})
afterAll(() => api.close())

const post = (url: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  sendJson(api, 'POST', url, body, headers)
const newestPhone = () =>
  api.plane.app.core.db.phone.findFirstOrThrow({
    orderBy: { createdAt: 'desc' },
    include: { sessions: true },
  })

/** Holds starts at the agent until the returned function is called. */
function holdStarts(): () => void {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  for (const device of api.agent.devices.values()) device.onStart = () => held
  return () => {
    for (const device of api.agent.devices.values()) delete device.onStart
    release()
  }
}

/** Sends a create that waits, and resolves when it waits. */
async function waiting(): Promise<{ answer: ReturnType<typeof post> }> {
  const before = api.called('phones.wait').length
  const answer = post('/v1/phones')
  await eventually(() => api.called('phones.wait').length === before + 1)
  return { answer }
}

describe('POST /v1/phones', () => {
  it('answers 201 with the phone and its path when it is ready [2.14, 6.3, 6.9]', async () => {
    const response = await post('/v1/phones', { name: '  My phone ', metadata: { a: 'b' }, max_duration: 60 })
    expect(response.statusCode).toBe(201)
    expectConventions(response)
    const phone = phoneSchema.strict().parse(response.json())
    expect(response.headers.location).toBe(`/v1/phones/${phone.id}`)
    expect(phone).toMatchObject({ object: 'phone', name: 'My phone', status: 'ready', metadata: { a: 'b' } })
    expect(api.called('phones.create')[0]?.args.slice(1)).toEqual([
      {
        name: 'My phone',
        country: null,
        metadata: { a: 'b' },
        onIdle: 'park',
        idleTimeout: 300,
        maxDuration: 60,
      },
      null,
    ])
  })

  it('writes times with milliseconds and money with six decimals [2.8]', async () => {
    const phone = (await post('/v1/phones')).json<PhoneJson>()
    const { createdAt, lastActiveAt } = await newestPhone()
    expect(phone.created_at).toBe(createdAt.toISOString())
    expect(phone.created_at).toMatch(/T\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(phone.session).toMatchObject({
      reserved_usd: '0.900000',
      parks_at: new Date((lastActiveAt?.getTime() ?? 0) + 300_000).toISOString(),
      park_reason: 'idle',
    })
  })

  it('waits until the phone is ready [6.8]', async () => {
    const release = holdStarts()
    const { answer } = await waiting()
    release()
    expect((await answer).statusCode).toBe(201)
  })

  it('answers 202 when the wait ends first, or was not requested [2.19, 6.10, 20.8]', async () => {
    const release = holdStarts()
    const hasty = await api.beside({ lifecycleWait: 0.25 })
    const waited = await sendJson(hasty, 'POST', '/v1/phones')
    expect([waited.statusCode, waited.json<PhoneJson>().status]).toEqual([202, 'creating'])
    expect(hasty.called('phones.wait')).toHaveLength(1)
    const waits = api.called('phones.wait').length
    const unwaited = await post('/v1/phones', { wait: false })
    expect(unwaited.statusCode).toBe(202)
    expect(unwaited.headers.location).toBe(`/v1/phones/${unwaited.json<PhoneJson>().id}`)
    expect(api.called('phones.wait')).toHaveLength(waits)
    release()
  })

  it('answers 202 when the wait itself fails, since the phone was created [6.11]', async () => {
    const release = holdStarts()
    api.failures.set('phones.wait', new Error('broker gone'))
    expect((await post('/v1/phones')).statusCode).toBe(202)
    release()
  })

  it.each([
    ['capacity_unavailable', 503, 'capacity_unavailable'],
    ['validation_failed', 400, 'validation_failed'],
    ['phone_unavailable', 503, 'phone_unavailable'],
    ['internal_error', 500, 'internal_error'],
    ['something_new', 502, 'provider_error'],
  ])('returns the failure %s that occurs while it waits [6.13]', async (code, status, answered) => {
    const release = holdStarts()
    const { answer } = await waiting()
    const { id } = await newestPhone()
    await api.movePhone(id, { status: 'failed', failureCode: code })
    const { details } = expectFailure(await answer, status, answered, id)
    release()
    if (code === 'validation_failed') expect(details.issues?.[0]?.path).toEqual(['country'])
  })

  it('returns the phone of an Idempotency-Key, with any order of fields and `wait` [17.3]', async () => {
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

  it('returns a phone that failed or was deleted earlier to a replay [17.6]', async () => {
    for (const status of ['failed', 'deleted'] as const) {
      const headers = { 'idempotency-key': `my-key-${status}` }
      const { id } = (await post('/v1/phones', {}, headers)).json<PhoneJson>()
      if (status === 'failed') await api.movePhone(id, { status })
      else await api.plane.app.services.phones.delete(api.tenant.caller, id)
      const replay = await post('/v1/phones', {}, headers)
      expect([replay.statusCode, replay.json<PhoneJson>().status]).toEqual([202, status])
    }
  })

  it('adds Retry-After to refusals that pass with time [20.23]', async () => {
    api.failures.set('phones.create', new ApiError('capacity_unavailable'))
    const full = await post('/v1/phones')
    expect(errorOf(full, 503, 'capacity_unavailable').retryable).toBe(true)
    expect(full.headers['retry-after']).toBe('30')
    api.failures.set('phones.create', new ApiError('rate_limited', { retryAfterSeconds: 12 }))
    const fast = await post('/v1/phones')
    expect(errorOf(fast, 429, 'rate_limited').details).toEqual({ retry_after_seconds: 12 })
    expect(fast.headers['retry-after']).toBe('12')
  })
})

it('shows `on_idle`, compares it in a repeat, and is deleted by a park', async () => {
  const key = { 'idempotency-key': 'on-idle-of-a-create' }
  const made = (await post('/v1/phones', { on_idle: 'delete' }, key)).json<PhoneJson>()
  expect(made.on_idle).toBe('delete')
  errorOf(await post('/v1/phones', {}, key), 409, 'idempotency_conflict')
  const parked = await post(`/v1/phones/${made.id}/park`)
  expect([parked.statusCode, parked.json<PhoneJson>().status]).toEqual([200, 'deleted'])
  // A repeat of a request that an earlier release answered, which did not know the field.
  const plain = { 'idempotency-key': 'no-on-idle-of-a-create' }
  const first = (await post('/v1/phones', { name: 'a' }, plain)).json<PhoneJson>()
  expect(first.on_idle).toBe('park')
  const { bodyHash } = await api.plane.app.core.db.idempotencyKey.findFirstOrThrow({
    where: { phoneId: first.id },
  })
  expect(bodyHash).toBe(canonicalHash({ name: 'a', metadata: {}, idle_timeout: 300 }))
  const repeated = await post('/v1/phones', { name: 'a', on_idle: 'park' }, plain)
  expect(repeated.json<PhoneJson>().id).toBe(first.id)
  await api.request('DELETE', `/v1/phones/${first.id}`, { key: await api.keyOf('admin') })
})
