/** Lists of phones, single phones, and waits for one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  errorOf,
  expectFailure,
  sendJson,
  servicesUsed,
  startApi,
  type TestApi,
} from '../../../testing/api.js'
import { eventually } from '../../../testing/world.js'
import { phonePageSchema, phoneSchema, type PhoneJson } from '../schemas.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ env: { PHONERACK_JOBS: 'off' } })
})
afterAll(() => api.close())

/** Sends a request that waits, and resolves when it waits. */
async function waiting(url: string): Promise<{ answer: ReturnType<TestApi['request']> }> {
  const before = api.called('phones.wait').length
  const answer = api.request('GET', url)
  await eventually(() => api.called('phones.wait').length === before + 1)
  return { answer }
}

describe('GET /v1/phones', () => {
  it('passes filters and pages on', async () => {
    const ids = [await api.placePhone('parked'), await api.placePhone('parked')]
    for (const id of ids) await sendJson(api, 'PATCH', `/v1/phones/${id}`, { metadata: { team: 'a b' } })
    await api.placePhone('parked')
    const filter = 'status=parked&metadata[team]=a%20b'
    const page = async (query: string) =>
      phonePageSchema.strict().parse((await api.request('GET', `/v1/phones?${filter}&${query}`)).json())
    const first = await page('limit=1')
    const second = await page(`limit=7&cursor=${first.next_cursor}`)
    expect([...first.data, ...second.data].map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(second.next_cursor).toBeNull()
    expect(api.called('phones.list').at(-1)?.args[1]).toEqual({
      status: 'parked',
      metadata: { key: 'team', value: 'a b' },
      limit: 7,
      cursor: first.next_cursor,
    })
    await api.request('GET', '/v1/phones')
    expect(api.called('phones.list').at(-1)?.args[1]).toEqual({
      status: null,
      metadata: null,
      limit: 50,
      cursor: null,
    })
  })

  it('returns one page for a limited key, with any parameters', async () => {
    const ids = [await api.placePhone('parked'), await api.placePhone('parked')]
    const response = await api.request('GET', '/v1/phones?limit=1&cursor=nonsense', {
      key: await api.keyOf('agent', ids),
    })
    expect(response.json<{ data: unknown[] }>().data).toHaveLength(2)
    expect(response.json<{ next_cursor: unknown }>().next_cursor).toBeNull()
    expect(api.called('phones.list').at(-1)?.args[1]).toMatchObject({ cursor: null, limit: 100 })
  })
})

describe('GET /v1/phones/{id}', () => {
  it('reads once and records the activity', async () => {
    const id = await api.placePhone('parked')
    const before = api.calls.length
    const response = await api.request('GET', `/v1/phones/${id}`)
    phoneSchema.strict().parse(response.json())
    expect(servicesUsed(api, before)).toEqual(['phones.get', 'phones.touch'])
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
  ])('returns 404 for %s without a read', async (id) => {
    const before = api.calls.length
    const error = errorOf(await api.request('GET', `/v1/phones/${id}`), 404, 'phone_not_found')
    expect(error.details).toEqual({ phone: decodeURIComponent(id) })
    expect(servicesUsed(api, before)).toEqual([])
  })

  it('succeeds when the activity cannot be recorded', async () => {
    const id = await api.placePhone('parked')
    api.failures.set('phones.touch', new Error('down'))
    expect((await api.request('GET', `/v1/phones/${id}`)).statusCode).toBe(200)
  })

  describe('wait=ready', () => {
    it.each(['ready', 'parking', 'parked', 'unavailable', 'failed', 'deleted'] as const)(
      'returns immediately when %s',
      async (status) => {
        const id = await api.placePhone(status)
        const waits = api.called('phones.wait').length
        const response = await api.request('GET', `/v1/phones/${id}?wait=ready`)
        expect([response.statusCode, response.json<PhoneJson>().status]).toEqual([200, status])
        expect(api.called('phones.wait')).toHaveLength(waits)
      },
    )

    // A phone becomes parked only from parking.
    it.each(['ready', 'parking', 'unavailable', 'deleted'] as const)(
      'returns when it becomes %s [4.26, 8.3, 20.51]',
      async (status) => {
        const id = await api.placePhone('starting')
        const { answer } = await waiting(`/v1/phones/${id}?wait=ready`)
        expect(api.called('phones.wait').at(-1)?.args[2]).toBe(50_000)
        await api.movePhone(id, { status })
        expect((await answer).json<PhoneJson>().status).toBe(status)
      },
    )

    it('returns the phone unchanged at the timeout [4.29]', async () => {
      const id = await api.placePhone('creating')
      const began = performance.now()
      const response = await api.request('GET', `/v1/phones/${id}?wait=ready&timeout=1`)
      expect(performance.now() - began).toBeGreaterThan(950)
      expect([response.statusCode, response.json<PhoneJson>().status]).toEqual([200, 'creating'])
    })

    it('returns a failure during the wait as an error', async () => {
      const id = await api.placePhone('creating')
      const { answer } = await waiting(`/v1/phones/${id}?wait=ready`)
      await api.movePhone(id, { status: 'failed', failureCode: 'internal_error' })
      expectFailure(await answer, 500, 'internal_error', id)
    })
  })

  describe('wait=parked', () => {
    it.each(['parked', 'failed', 'deleted'] as const)('returns immediately when %s', async (status) => {
      const id = await api.placePhone(status)
      const waits = api.called('phones.wait').length
      expect((await api.request('GET', `/v1/phones/${id}?wait=parked`)).json<PhoneJson>().status).toBe(status)
      expect(api.called('phones.wait')).toHaveLength(waits)
    })

    it('waits in any other status, and does not count as activity [4.27]', async () => {
      const id = await api.placePhone('ready')
      const touches = api.called('phones.touch').length
      const { answer } = await waiting(`/v1/phones/${id}?wait=parked&timeout=55`)
      for (const status of ['unavailable', 'starting', 'parking'] as const)
        await api.movePhone(id, { status })
      await api.movePhone(id, { status: 'parked' })
      expect((await answer).json<PhoneJson>().status).toBe('parked')
      expect(api.called('phones.touch')).toHaveLength(touches)
    })
  })

  it('ends its waits when the server stops', async () => {
    const id = await api.placePhone('creating')
    const { request, called, close } = await api.beside({})
    const answer = request('GET', `/v1/phones/${id}?wait=ready&timeout=55`)
    await eventually(() => called('phones.wait').length === 1)
    const began = performance.now()
    await close()
    expect((await answer).json<PhoneJson>().status).toBe('creating')
    // Without the stop, the request would wait 55 s.
    expect(performance.now() - began).toBeLessThan(50_000)
  })
})
