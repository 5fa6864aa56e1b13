/** Lists of phones, single phones, and waiting for one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorOf, expectFailure, testApi, type TestApi } from '../../testing/api.js'
import { phonePageSchema, phoneSchema, type PhoneJson } from '../schemas.js'

let api: TestApi
beforeEach(async () => {
  api = await testApi({ requestsPerKeyPerMinute: 100_000, lifecycleWait: 0.25 })
})
afterEach(() => api.app.close())

const failure = { code: 'capacity_unavailable', message: 'No device was found.', at: new Date() }

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
    // It would wait 20 s and more.
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})
