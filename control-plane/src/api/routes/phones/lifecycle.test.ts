/** Changing, deleting, starting and parking phones, and their sessions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorOf, expectFailure, sendJson, startApi, type TestApi } from '../../../testing/api.js'
import { eventually } from '../../../testing/world.js'
import { phoneSchema, sessionPageSchema, type PhoneJson } from '../schemas.js'

let api: TestApi
/** A server whose waits for a start or a park last a quarter of a second. */
let hasty: TestApi
beforeAll(async () => {
  api = await startApi({ devices: 6 })
  hasty = await api.beside({ lifecycleWait: 0.25 })
})
afterAll(() => api.close())

const post = (url: string, body: unknown = {}, server = api) => sendJson(server, 'POST', url, body)

/** A phone that was ready, and is parked. */
async function parkedPhone(): Promise<string> {
  const id = await api.readyPhone()
  expect((await post(`/v1/phones/${id}/park`)).statusCode).toBe(200)
  return id
}

/** Holds the next starts or parks at the agent until the returned function is called. */
function holdAtAgent(call: 'onStart' | 'onPark'): () => void {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  for (const device of api.agent.devices.values()) device[call] = () => held
  return () => {
    for (const device of api.agent.devices.values()) device[call] = () => Promise.resolve()
    release()
  }
}

/** Sends a request that waits for the phone, and resolves when it waits. */
async function waiting(url: string): Promise<{ answer: ReturnType<typeof post> }> {
  const before = api.called('phones.wait').length
  const answer = post(url)
  await eventually(() => api.called('phones.wait').length === before + 1)
  return { answer }
}

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
    const id = await api.placePhone('parked')
    const response = await sendJson(api, 'PATCH', `/v1/phones/${id}`, body)
    expect(response.statusCode).toBe(200)
    expect(phoneSchema.strict().parse(response.json())).toMatchObject(change)
    expect(api.called('phones.update').at(-1)?.args[2]).toEqual(change)
  })
})

describe('DELETE /v1/phones/{id}', () => {
  it('returns the deleted phone, even twice', async () => {
    const id = await api.placePhone('parked')
    const key = await api.keyOf('admin')
    for (let times = 0; times < 2; times += 1) {
      const response = await api.request('DELETE', `/v1/phones/${id}`, { key })
      expect([response.statusCode, response.json<PhoneJson>().status]).toEqual([200, 'deleted'])
    }
  })
})

describe('POST start, park, heartbeat', () => {
  it('start answers 200 once ready, with its parameters [10.3]', async () => {
    const id = await parkedPhone()
    const release = holdAtAgent('onStart')
    const before = api.called('phones.wait').length
    const answer = post(`/v1/phones/${id}/start`, { idle_timeout: 60 })
    await eventually(() => api.called('phones.wait').length === before + 1)
    release()
    expect((await answer).statusCode).toBe(200)
    expect((await answer).json<PhoneJson>()).toMatchObject({ status: 'ready', session: { idle_timeout: 60 } })
    expect(api.called('phones.start').at(-1)?.args[2]).toEqual({ idleTimeout: 60, maxDuration: null })
  })

  it('start answers 202 while starting, and returns a failure during the wait [2.20, 10.6]', async () => {
    const id = await parkedPhone()
    const release = holdAtAgent('onStart')
    expect((await post(`/v1/phones/${id}/start`, { wait: false })).statusCode).toBe(202)
    expect((await post(`/v1/phones/${id}/start`, {}, hasty)).statusCode).toBe(202)
    const { answer } = await waiting(`/v1/phones/${id}/start`)
    await api.movePhone(id, { status: 'failed' })
    expectFailure(await answer, 503, 'capacity_unavailable', id)
    release()
  })

  it('start of a phone that parks during the wait is 202', async () => {
    const id = await parkedPhone()
    const release = holdAtAgent('onStart')
    const { answer } = await waiting(`/v1/phones/${id}/start`)
    const parked = await post(`/v1/phones/${id}/park`, { wait: false })
    expect(parked.statusCode).toBeLessThan(300)
    release()
    expect((await answer).statusCode).toBe(202)
  })

  it('park answers 200 once parked and 202 before [2.21, 10.8]', async () => {
    const id = await api.readyPhone()
    const release = holdAtAgent('onPark')
    expect((await post(`/v1/phones/${id}/park`, { wait: false })).statusCode).toBe(202)
    const { answer } = await waiting(`/v1/phones/${id}/park`)
    release()
    expect((await answer).statusCode).toBe(200)
    const waits = api.called('phones.wait').length
    expect((await post(`/v1/phones/${id}/park`)).statusCode).toBe(200)
    expect(api.called('phones.wait')).toHaveLength(waits)
  })

  it('heartbeat returns the phone', async () => {
    const id = await api.readyPhone()
    const response = await api.request('POST', `/v1/phones/${id}/heartbeat`)
    phoneSchema.strict().parse(response.json())
    expect((await post(`/v1/phones/${id}/park`)).statusCode).toBe(200)
    errorOf(await api.request('POST', `/v1/phones/${id}/heartbeat`), 409, 'phone_not_running')
  })
})

describe('GET sessions', () => {
  it('lists sessions with money and times', async () => {
    const id = await parkedPhone()
    expect((await post(`/v1/phones/${id}/start`, { max_duration: 900 })).statusCode).toBe(200)
    const response = await api.request('GET', `/v1/phones/${id}/sessions?limit=2`)
    const page = sessionPageSchema.strict().parse(response.json())
    expect(page.data[0]).toMatchObject({ cost_usd: null, billed_seconds: null, reserved_usd: '0.900000' })
    expect(page.data[1]).toMatchObject({ cost_usd: '0.060000', billed_seconds: 60, end_reason: 'parked' })
    expect(api.called('phones.sessions').at(-1)?.args[2]).toEqual({ limit: 2, cursor: null })
  })
})
