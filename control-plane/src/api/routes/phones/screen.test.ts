/** Requests into a phone: their calls, responses and holds. */
import { connect, type AddressInfo } from 'node:net'
import { ObserveMode } from '@phonerack/proto'
import { type Observation } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallContext } from '../../../base/core/caller.js'
import { errorOf, expectConventions, servicesUsed, startApi, type TestApi } from '../../../testing/api.js'
import { completeBatch, observationJson } from '../../../testing/agent-double/screen.js'
import { eventually } from '../../../testing/world.js'

let api: TestApi
let id: string
beforeAll(async () => {
  api = await startApi({ devices: 1, env: { PHONERACK_ACTIVITY_ACCURACY: '1' } })
  id = await api.readyPhone()
  api.agent.picture = { screenWidth: 1080, screenHeight: 2400, scale: 1 / 3 }
})
afterAll(() => api.close())

/** The arguments of the latest call of a service. */
const lastCall = (name: string): unknown[] => api.called(name).at(-1)?.args ?? []

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
  ])('observe%s requests the screenshot %j [28.7]', async (query, screenshot) => {
    expect((await get(`observe${query}`)).statusCode).toBe(200)
    expect(lastCall('deviceControl.observe')[2]).toEqual(screenshot)
  })

  it('passes the JSON through unchanged', async () => {
    const response = await get('observe')
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.json()).toMatchObject({ snapshot_id: 'snp_aaaaaaaaaaaa', app: { package: 'x' } })
    expectConventions(response)
  })

  it('returns only the text, with the snapshot in a header [2.9]', async () => {
    const response = await get('observe?format=text')
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-snapshot-id': 'snp_aaaaaaaaaaaa',
    })
    expect(response.body).toBe('app x')
    expectConventions(response)
  })
})

describe('what changed', () => {
  const since = 'snp_bbbbbbbbbbbb'

  it('is the whole screen from a host that does not know changes, after an observe and after a batch [45.11]', async () => {
    expect((await get(`observe?since=${since}`)).json()).toMatchObject({ since, whole: true, elements: [] })
    expect((await get('observe')).json()).not.toHaveProperty('whole')
    const batch = (await act({ actions: [{ type: 'back' }], observe: 'changes', since })).json<object>()
    expect(batch).toMatchObject({ completed: 1, observation: { since, whole: true, elements: [] } })
    const first = (await act({ actions: [{ type: 'back' }], observe: 'auto' })).json<object>()
    expect(first).toMatchObject({ observation: { since: null, whole: true } })
  })

  it('is passed through from a host that knows it, and nothing is read after waits with auto [45.9]', async () => {
    const { onBatch } = api.agent
    const asked: [ObserveMode, string | undefined][] = []
    const seen = JSON.parse(observationJson().toString()) as Observation
    const changes = {
      ...seen,
      elements: undefined,
      since,
      same: true,
      added: [],
      changed: [],
      removed: [],
      kept: 3,
    }
    api.agent.onBatch = ({ observe, changesSince, ...request }, send) => {
      asked.push([observe, changesSince])
      return completeBatch({ ...request, observe }, (event) => {
        if (event?.$case !== 'ended') return send(event)
        send({ ...event, value: { ...event.value, changesJson: Buffer.from(JSON.stringify(changes)) } })
      })
    }
    try {
      const { observation } = (await act({ actions: [{ type: 'back' }], observe: 'auto', since })).json<{
        observation: object
      }>()
      expect(observation).toMatchObject({ since, same: true, kept: 3 })
      expect(observation).not.toHaveProperty('elements')
      await act({ actions: [{ type: 'wait', ms: 1 }], observe: 'auto', since })
      expect(asked).toEqual([
        [ObserveMode.OBSERVE_MODE_UI, since],
        [ObserveMode.OBSERVE_MODE_NONE, since],
      ])
    } finally {
      api.agent.onBatch = onBatch
    }
  })

  it('needs a mode that has it, and a snapshot [45.10]', async () => {
    for (const observe of [undefined, 'ui', 'both'])
      errorOf(await act({ actions: [{ type: 'back' }], observe, since }), 400, 'validation_failed')
    errorOf(await get('observe?since=last'), 400, 'validation_failed')
  })
})

describe('a request whose key cannot be read', () => {
  it('returns phone_unavailable for a batch, since nothing ran, and an internal error otherwise', async () => {
    // Simulates an unavailable database.
    const before = api.calls.length
    api.failures.set('keys.authenticate', new Error('no connection'))
    const batch = await act({ actions: [{ type: 'home' }] })
    expect(errorOf(batch, 503, 'phone_unavailable')).toMatchObject({
      retryable: true,
      details: { retry_after_seconds: 2 },
    })
    expect(batch.headers['retry-after']).toBe('2')
    api.failures.set('keys.authenticate', new Error('no connection'))
    errorOf(await get('observe'), 500, 'internal_error')
    expect(servicesUsed(api, before)).toEqual([])
  })
})

describe('GET screenshot', () => {
  it.each([
    ['', 'image/png', { format: 'png', maxWidth: null, quality: null }],
    ['?format=png&quality=50', 'image/png', { format: 'png', maxWidth: null, quality: null }],
    ['?format=jpeg', 'image/jpeg', { format: 'jpeg', maxWidth: null, quality: 70 }],
    ['?format=jpeg&quality=95&max_width=2000', 'image/jpeg', { format: 'jpeg', maxWidth: 2000, quality: 95 }],
  ])('screenshot%s is %s [2.10, 29.8]', async (query, type, request) => {
    const response = await get(`screenshot${query}`)
    expect(response.headers).toMatchObject({
      'content-type': type,
      'x-screen-width': '1080',
      'x-screen-height': '2400',
      'x-screen-scale': '0.333333',
    })
    expect(response.rawPayload).toEqual(Buffer.from([1, 2, 3]))
    expect(lastCall('deviceControl.screenshot')[2]).toEqual(request)
    expectConventions(response)
  })
})

describe('GET screenshot of a protected window', () => {
  it('has a header that says so, only in that case', async () => {
    const header = async () => (await get('screenshot')).headers['x-screen-secure']
    expect(await header()).toBeUndefined()
    api.agent.picture = { ...api.agent.picture, secure: true }
    expect(await header()).toBe('true')
  })
})

describe('POST actions', () => {
  it('passes the actions with their defaults [30.11]', async () => {
    const response = await act({
      actions: [
        { type: 'long_press', target: { text: 'a' } },
        { type: 'wait', ms: 1 },
      ],
    })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ completed: 2, observation: { snapshot_id: 'snp_aaaaaaaaaaaa' } })
    expect(lastCall('deviceControl.runActions')[2]).toEqual({
      actions: [
        { type: 'long_press', target: { text: 'a' }, duration_ms: 800 },
        { type: 'wait', ms: 1 },
      ],
      observe: 'ui',
      fresh: false,
    })
  })
})

describe('activity', () => {
  /** The phone's last activity in its row. */
  const lastActive = async (): Promise<number> => {
    const phone = await api.plane.app.core.db.phone.findUniqueOrThrow({ where: { id } })
    return phone.lastActiveAt?.getTime() ?? 0
  }
  const activeAfter = (time: number): Promise<void> => eventually(async () => (await lastActive()) > time)

  it.each(['observe', 'screenshot'])('%s keeps the phone active until it ends', async (path) => {
    let end: () => void = () => undefined
    const held = new Promise<void>((resolve) => (end = resolve))
    api.agent.onCall = (name) => (name === path ? held : Promise.resolve())
    const answer = get(path)
    // Written repeatedly, at an accuracy of a second, while no other request is sent.
    await activeAfter(await lastActive())
    await activeAfter(await lastActive())
    end()
    api.agent.onCall = () => Promise.resolve()
    expect((await answer).statusCode).toBe(200)
    expect(api.ended('phones.hold')).toBe(api.called('phones.hold').length)
  })

  it('does not begin for a key that is limited to other phones', async () => {
    const key = await api.keyOf('agent', [await api.placePhone('parked')])
    const before = api.calls.length
    errorOf(await api.request('GET', `/v1/phones/${id}/observe`, { key }), 403, 'phone_not_allowed')
    expect(servicesUsed(api, before).filter((name) => /touch|hold/.test(name))).toEqual([])
  })

  it('ends with a request that fails', async () => {
    const parked = await api.placePhone('parked')
    errorOf(await api.request('GET', `/v1/phones/${parked}/observe`), 409, 'phone_not_running')
    expect(api.ended('phones.hold')).toBe(api.called('phones.hold').length)
  })
})

describe('the signal of a request', () => {
  it('aborts when the client disconnects, and not before', async () => {
    await api.app.listen({ host: '127.0.0.1', port: 0 })
    const before = api.called('deviceControl.observe').length
    const context = () => api.called('deviceControl.observe')[before]?.args[3] as CallContext | undefined
    let end: () => void = () => undefined
    const held = new Promise<void>((resolve) => (end = resolve))
    api.agent.onCall = () => held
    const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(
      `GET /v1/phones/${id}/observe HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.key}\r\n\r\n`,
    )
    await eventually(() => context() !== undefined)
    expect(context()?.signal.aborted).toBe(false)
    expect(context()?.requestId).toMatch(/^req_/)
    socket.destroy()
    await eventually(() => context()?.signal.aborted === true)
    await eventually(() => api.ended('phones.hold') === api.called('phones.hold').length)
    end()
    api.agent.onCall = () => Promise.resolve()
  })

  it('does not abort once the response was sent', async () => {
    expect((await get('observe')).statusCode).toBe(200)
    expect((lastCall('deviceControl.observe')[3] as CallContext).signal.aborted).toBe(false)
  })
})
