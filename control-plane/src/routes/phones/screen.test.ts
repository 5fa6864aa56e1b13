/** Requests that reach into a phone: what they pass on, answer and hold. */
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorOf, expectConventions, testApi, type TestApi } from '../../testing/api.js'
import { type CallContext } from '../../core/caller.js'

let api: TestApi
let id: string
beforeEach(async () => {
  api = await testApi()
  id = api.services.phone('ready').id
})
afterEach(() => api.app.close())

const get = (path: string) => api.request('GET', `/v1/phones/${id}/${path}`)
const act = (body: unknown) =>
  api.request('POST', `/v1/phones/${id}/actions`, {
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })

describe('GET observe', () => {
  it.each([
    ['', null],
    ['?screenshot=none&max_width=500', null],
    ['?screenshot=jpeg', { format: 'jpeg', maxWidth: null, quality: null }],
    ['?screenshot=png&max_width=160', { format: 'png', maxWidth: 160, quality: null }],
    ['?screenshot=png&format=text', null],
  ])('observe%s asks for the screenshot %j', async (query, screenshot) => {
    expect((await get(`observe${query}`)).statusCode).toBe(200)
    expect(api.services.called('observe')[0]?.args[2]).toEqual(screenshot)
  })

  it('passes the JSON through as it is', async () => {
    const response = await get('observe')
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.rawPayload).toEqual(Buffer.from(api.services.json))
    expectConventions(response)
  })

  it('answers the text alone, with the snapshot in a header', async () => {
    const response = await get('observe?format=text')
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-snapshot-id': 'snp_aaaaaaaaaaaa',
    })
    expect(response.body).toBe('app a\nkeyboard hidden\nscreen 1x2')
    expectConventions(response)
  })
})

describe('a request whose key cannot be read', () => {
  it('has run nothing when it is a batch, and says so; any other is our fault', async () => {
    // What a dead database makes of it.
    api.services.keys.authenticate = () => Promise.reject(new Error('no connection'))
    const batch = await act({ actions: [{ type: 'home' }] })
    expect(errorOf(batch, 503, 'phone_unavailable')).toMatchObject({
      retryable: true,
      details: { retry_after_seconds: 2 },
    })
    expect(batch.headers['retry-after']).toBe('2')
    errorOf(await get('observe'), 500, 'internal_error')
    expect(api.services.called('runActions')).toEqual([])
  })
})

describe('GET screenshot', () => {
  it.each([
    ['', 'image/png', { format: 'png', maxWidth: null, quality: null }],
    ['?format=png&quality=50', 'image/png', { format: 'png', maxWidth: null, quality: null }],
    ['?format=jpeg', 'image/jpeg', { format: 'jpeg', maxWidth: null, quality: 70 }],
    ['?format=jpeg&quality=95&max_width=2000', 'image/jpeg', { format: 'jpeg', maxWidth: 2000, quality: 95 }],
  ])('screenshot%s is %s', async (query, type, request) => {
    const response = await get(`screenshot${query}`)
    expect(response.headers).toMatchObject({
      'content-type': type,
      'x-screen-width': '1080',
      'x-screen-height': '2400',
      'x-screen-scale': '0.333333',
    })
    expect(response.rawPayload).toEqual(Buffer.from([1, 2, 3]))
    expect(api.services.called('screenshot')[0]?.args[2]).toEqual(request)
    expectConventions(response)
  })
})

describe('GET screenshot of a protected window', () => {
  it('has a header that says so, and only then', async () => {
    const header = async () => (await get('screenshot')).headers['x-screen-secure']
    expect(await header()).toBeUndefined()
    api.services.secure = true
    expect(await header()).toBe('true')
  })
})

describe('POST actions', () => {
  it('passes the actions with their defaults', async () => {
    const response = await act({
      actions: [
        { type: 'long_press', target: { text: 'a' } },
        { type: 'wait', ms: 1 },
      ],
    })
    expect(response.statusCode).toBe(200)
    expect(response.rawPayload).toEqual(Buffer.from(api.services.json))
    expect(api.services.called('runActions')[0]?.args[2]).toEqual({
      actions: [
        { type: 'long_press', target: { text: 'a' }, duration_ms: 800 },
        { type: 'wait', ms: 1 },
      ],
      observe: 'ui',
    })
  })
})

describe('activity', () => {
  it.each(['observe', 'screenshot'])('%s keeps the phone active until it ends', async (path) => {
    let end: () => void = () => undefined
    api.services.inside = () => new Promise((resolve) => (end = resolve))
    const answer = get(path)
    await expect.poll(() => api.services.called(path).length).toBe(1)
    expect(api.services.held.get(id)).toBe(1)
    end()
    await answer
    expect(api.services.held.get(id)).toBe(0)
    expect(api.services.called('touch')).toHaveLength(1)
  })

  it('does not begin for a key that is limited to other phones', async () => {
    const key = api.services.key('agent', [api.services.phone().id])
    errorOf(await api.request('GET', `/v1/phones/${id}/observe`, { key }), 403, 'phone_not_allowed')
    expect([...api.services.called('touch'), ...api.services.called('hold')]).toEqual([])
  })

  it('ends with a request that fails', async () => {
    api.services.move(id, { status: 'parked' })
    errorOf(await act({ actions: [{ type: 'back' }] }), 409, 'phone_not_running')
    expect(api.services.held.get(id)).toBe(0)
  })
})

describe('the signal of a request', () => {
  it('aborts when the client goes, and not before', async () => {
    await api.app.listen({ host: '127.0.0.1', port: 0 })
    const contextOf = () => api.services.called('observe')[0]?.args[3] as CallContext
    api.services.inside = async () => {
      await once(contextOf().signal, 'abort')
    }
    const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(
      `GET /v1/phones/${id}/observe HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.key}\r\n\r\n`,
    )
    await expect.poll(() => api.services.called('observe').length).toBe(1)
    expect(contextOf().signal.aborted).toBe(false)
    expect(contextOf().requestId).toMatch(/^req_/)
    socket.destroy()
    await expect.poll(() => contextOf().signal.aborted).toBe(true)
    await expect.poll(() => api.services.held.get(id)).toBe(0)
  })

  it('does not abort when the answer was sent', async () => {
    await get('observe')
    const signal = (api.services.called('observe')[0]?.args[3] as CallContext | undefined)?.signal
    expect(signal?.aborted).toBe(false)
  })
})
