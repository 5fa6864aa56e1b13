/** The routes with the real services: real Postgres, real broker, devices of an agent double. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { errorOf, expectConventions } from '../../testing/api.js'
import {
  accountSchema,
  errorSchema,
  phonePageSchema,
  phoneSchema,
  sessionPageSchema,
  type PhoneJson,
} from './schemas.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_LIFECYCLE_PER_MINUTE: '1000000' } })
  await plane.rack(4)
  tenant = await plane.tenant({ preset: 'admin', maxPhones: 4 })
})

async function call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown, more = {}) {
  const response = await plane.server.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  expectConventions(response)
  return response
}

describe('the routes with real services', () => {
  it('run a phone from create to delete', async () => {
    const created = await call('POST', '/v1/phones', { name: 'A', metadata: { team: 'x' } })
    expect(created.statusCode, created.body).toBe(201)
    const phone = phoneSchema.strict().parse(created.json())
    const url = `/v1/phones/${phone.id}`
    expect(created.headers.location).toBe(url)
    expect((await call('GET', url)).json<PhoneJson>().status).toBe('ready')
    expect((await call('PATCH', url, { metadata: {} })).json<PhoneJson>().metadata).toEqual({})
    phonePageSchema.strict().parse((await call('GET', '/v1/phones')).json())
    expect((await call('POST', `${url}/heartbeat`)).statusCode).toBe(200)
    const parked = await call('POST', `${url}/park`)
    expect([parked.statusCode, parked.json<PhoneJson>().status]).toEqual([200, 'parked'])
    errorOf(await call('GET', `${url}/observe`), 409, 'phone_not_running')
    const started = await call('POST', `${url}/start`, { max_duration: 60 })
    expect([started.statusCode, started.json<PhoneJson>().status]).toEqual([200, 'ready'])
    expect((await call('DELETE', url)).json<PhoneJson>().status).toBe('deleted')
    expect((await call('DELETE', url)).statusCode).toBe(200)
    const sessions = sessionPageSchema.strict().parse((await call('GET', `${url}/sessions`)).json())
    expect(sessions.data.map((session) => session.end_reason)).toEqual(['deleted', 'parked'])
    accountSchema.strict().parse((await call('GET', '/v1/account')).json())
  })

  it('repeat a create by its Idempotency-Key, and refuse another body', async () => {
    const key = { 'idempotency-key': 'the-same-key' }
    const first = (await call('POST', '/v1/phones', { name: 'B' }, key)).json<PhoneJson>()
    expect(
      (
        await call('POST', '/v1/phones', { idle_timeout: 300, name: ' B', wait: false }, key)
      ).json<PhoneJson>().id,
    ).toBe(first.id)
    const other = errorOf(await call('POST', '/v1/phones', { name: 'C' }, key), 409, 'idempotency_conflict')
    expect(other.details['phone']).toBe(first.id)
    await call('DELETE', `/v1/phones/${first.id}`)
  })

  it('hide the phones of others', async () => {
    const theirs = await plane.tenant()
    const phone = await plane.server.inject({
      method: 'POST',
      url: '/v1/phones',
      headers: { authorization: `Bearer ${theirs.key}` },
    })
    const { id } = phone.json<PhoneJson>()
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/start'],
      ['POST', '/park'],
      ['POST', '/heartbeat'],
      ['GET', '/sessions'],
      ['GET', '/observe'],
      ['GET', '/screenshot'],
    ] as const)
      expect(
        errorOf(await call(method, `/v1/phones/${id}${path}`), 404, 'phone_not_found').details['phone'],
      ).toBe(id)
  })

  it('never return an unexpected 5xx, for any request', async () => {
    const odd = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom("';--", '%', '\u0000', ''),
    )
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    /** Mostly valid values, so that requests pass the checks, and sometimes arbitrary ones. */
    const mostly = <T>(usual: fc.Arbitrary<T>) =>
      fc.oneof({ arbitrary: usual, weight: 9 }, { arbitrary: fc.oneof(odd, fc.jsonValue()), weight: 1 })
    const fields = {
      name: mostly(text),
      metadata: mostly(
        fc.dictionary(fc.stringMatching(/^[a-z0-9][a-zA-Z0-9_:-]{0,39}$/), text, { maxKeys: 4 }),
      ),
    }
    const body = fc.record(
      {
        ...fields,
        country: mostly(fc.constant('US')),
        idle_timeout: mostly(fc.integer({ min: 60, max: 3600 })),
        max_duration: mostly(fc.integer({ min: 60, max: 10_800 })),
        wait: fc.constant(false),
      },
      { requiredKeys: ['wait'] },
    )
    const change = fc.record(fields, { requiredKeys: [] })
    const query = fc
      .array(
        fc.tuple(
          fc.constantFrom('cursor', 'limit', 'status', 'metadata[a]', 'metadata[é]'),
          fc.oneof(text, odd),
        ),
        { maxLength: 3 },
      )
      .map((pairs) =>
        pairs
          .map(([name, value]) => `${name}=${encodeURIComponent(value.replace(/\p{Surrogate}/gu, 'x'))}`)
          .join('&'),
      )
    const expected = new Set(['capacity_unavailable', 'service_paused', 'phone_unavailable'])
    const check = (response: Awaited<ReturnType<typeof call>>) => {
      if (response.statusCode < 400) return response
      const { error } = errorSchema.strict().parse(response.json())
      if (response.statusCode >= 500) expect(expected, response.body).toContain(error.code)
      return response
    }
    let made = 0
    await fc.assert(
      fc.asyncProperty(body, change, query, async (sent, changed, asked) => {
        const created = check(await call('POST', '/v1/phones', sent))
        if (created.statusCode < 300) {
          made += 1
          const phone = phoneSchema.strict().parse(created.json())
          check(await call('PATCH', `/v1/phones/${phone.id}`, changed))
          check(await call('GET', `/v1/phones/${phone.id}/sessions?${asked}`))
          check(await call('DELETE', `/v1/phones/${phone.id}`))
        }
        check(await call('GET', `/v1/phones?${asked}`))
      }),
      { numRuns: 30 },
    )
    expect(made).toBeGreaterThan(3)
  })
})
