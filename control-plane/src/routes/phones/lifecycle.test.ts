/** Changing, deleting, starting and parking phones; sessions and the account. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorOf, expectFailure, sendJson, testApi, type TestApi } from '../../testing/api.js'
import { accountSchema, phoneSchema, sessionPageSchema, type PhoneJson } from '../schemas.js'
import { type SessionView } from '../../phones/types.js'

let api: TestApi
beforeEach(async () => {
  api = await testApi({ requestsPerKeyPerMinute: 100_000, lifecycleWait: 0.25 })
})
afterEach(() => api.app.close())

const post = (url: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  sendJson(api, 'POST', url, body, headers)
const failure = { code: 'capacity_unavailable', message: 'No device was found.', at: new Date() }

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
    const response = await sendJson(api, 'PATCH', `/v1/phones/${id}`, body)
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
