/** The error envelope: the fields that do not depend on the source of an error. */
import { ApiError, createLogger, errorCodes } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { errorSchema } from '../routes/schemas.js'
import { addFoundations, createFastify } from '../server/server.js'
import { errorAnswer, PhoneFailure } from './errors.js'
import { refusalMs } from './rate-limit.js'

const seconds = fc.oneof(
  fc.integer({ min: 1, max: 86_400 }),
  fc.double({ min: 0.001, max: 86_400, noNaN: true }),
)
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')
const answer = (error: ApiError, as = 'GET') => {
  const { status, headers, body } = errorAnswer(error, 'req_aaaaaaaaaaaa', as)
  return { status, headers, ...errorSchema.strict().parse(JSON.parse(body)) }
}

describe('an error response', () => {
  it('for a rate limit has Retry-After in whole seconds and in its details: its own wait, or 30 [22.16]', () => {
    const wait = fc.option(seconds, { nil: undefined })
    fc.assert(
      fc.property(wait, wait, method, (given, inDetails, as) => {
        const details = inDetails === undefined ? { limit: 3 } : { retry_after_seconds: inDetails }
        const { status, headers, error } = answer(
          new ApiError('rate_limited', { details, retryAfterSeconds: given }),
          as,
        )
        const expected = Math.ceil(given ?? inDetails ?? 30)
        expect([status, error.retryable, headers['retry-after']]).toEqual([429, true, `${expected}`])
        expect(error.details).toEqual({ ...details, retry_after_seconds: expected })
      }),
    )
  })

  it('for missing capacity has Retry-After, but not for a phone that failed because of it [22.18]', () => {
    const refused = answer(new ApiError('capacity_unavailable'), 'POST')
    expect([refused.error.retryable, refused.headers['retry-after']]).toEqual([true, '30'])
    const failed = answer(new PhoneFailure('capacity_unavailable', { retryAfterSeconds: 5 }), 'POST')
    expect([failed.error.retryable, failed.headers['retry-after']]).toEqual([false, undefined])
  })

  it('has the form of the envelope for every code [22.1]', () => {
    fc.assert(
      fc.property(fc.constantFrom(...errorCodes), method, (code, as) => {
        const { error, headers } = answer(new ApiError(code), as)
        expect([error.code, error.request_id, error.next]).toEqual([code, 'req_aaaaaaaaaaaa', null])
        expect(error.message).not.toBe('')
        expect([headers['x-request-id'], headers['cache-control']]).toEqual(['req_aaaaaaaaaaaa', 'no-store'])
        expect('www-authenticate' in headers).toBe(
          ['key_expired', 'key_revoked', 'invalid_api_key', 'unauthorized'].includes(code),
        )
      }),
    )
  })

  it('allows only reads to be repeated after an unexpected failure [22.9]', () => {
    fc.assert(
      fc.property(method, fc.constantFrom('internal_error', 'provider_timeout'), (as, code) => {
        expect(answer(new ApiError(code), as).error.retryable).toBe(as === 'GET' || as === 'HEAD')
      }),
    )
  })

  it('for a phone’s own failure is never retryable, with any code [22.8]', () => {
    for (const code of errorCodes) expect(answer(new PhoneFailure(code)).error.retryable).toBe(false)
  })
})

it('tells a client to repeat a write with its Idempotency-Key only where the route uses the key', async () => {
  const app = createFastify({}, createLogger('test', { write: () => undefined }))
  addFoundations(app)
  // The error of pg-pool.
  const fail = () => Promise.reject(new Error('timeout exceeded when trying to connect'))
  app.post('/once', { config: { isIdempotent: true } }, fail)
  app.post('/each', fail)
  await app.ready()
  const send = async (url: string, headers: Record<string, string>) =>
    errorSchema.parse((await app.inject({ method: 'POST', url, headers })).json()).error
  const key = { 'idempotency-key': 'while-busy' }
  const once = await send('/once', key)
  expect([once.retryable, once.next]).toEqual([true, expect.stringContaining('the same Idempotency-Key')])
  for (const error of [await send('/each', key), await send('/once', {})]) {
    expect([error.code, error.retryable]).toEqual(['service_unavailable', false])
    expect(error.next).not.toContain('Idempotency-Key')
  }
  await app.close()
})

it('sends the refusal of a limit after a pause, and other refusals immediately', async () => {
  const app = createFastify({}, createLogger('test', { write: () => undefined }))
  addFoundations(app)
  for (const code of ['rate_limited', 'not_found'] as const)
    app.get(`/${code}`, () => Promise.reject(new ApiError(code)))
  await app.ready()
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const refused = app.inject('/rate_limited')
    expect((await app.inject('/not_found')).statusCode).toBe(404)
    await vi.advanceTimersByTimeAsync(refusalMs - 1)
    expect(await Promise.race([refused, app.inject('/not_found')])).toMatchObject({ statusCode: 404 })
    await vi.advanceTimersByTimeAsync(1)
    expect((await refused).statusCode).toBe(429)
  } finally {
    vi.useRealTimers()
  }
  await app.close()
})
