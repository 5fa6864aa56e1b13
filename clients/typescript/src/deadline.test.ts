/** `deadline` and `signal` of every method, over a real HTTP server that does not answer. */
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  Apps,
  ConnectionError,
  Device,
  Files,
  Handoff,
  Permissions,
  Phone,
  Phonerack,
  PhonerackError,
  Phones,
  Recording,
  Reports,
  Setup,
  Steps,
  Webhooks,
} from './index.js'
import { type CallOptions } from './transport.js'

let server: Server
let client: Phonerack
let phone: Phone
let handoff: Handoff
let recording: Recording
let setup: Setup
let seen: string[]
/** Answers by the path; without one, the request hangs. */
let answers: Record<string, object>

const id = 'ph_aaaaaaaaaaaa'
const fields = { id, object: 'phone', name: 'one', status: 'ready' }

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume()
    const line = `${request.method ?? ''} ${request.url ?? ''}`
    seen.push(line)
    const answer = answers[line]
    if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  client = new Phonerack({ apiKey: 'prk_test', baseUrl })
  ;[seen, answers] = [[], {}]
  const soon = new Date(Date.now() + 600_000).toISOString()
  answers = {
    [`GET /v1/phones/${id}`]: fields,
    [`POST /v1/phones/${id}/handoffs`]: { id: 'hnd', url: 'https://a.example', expires_at: soon },
    [`POST /v1/phones/${id}/recordings`]: { id: 'rec', status: 'recording' },
    'POST /v1/setup': { setup_token: 'prs_a', user_code: 'A', verification_url: 'https://a.example' },
  }
  phone = await client.phones.get(id)
  handoff = await phone.handOff({ message: 'Help.' })
  recording = await phone.record()
  setup = await Setup.start({ baseUrl })
})
beforeEach(async () => {
  await allSeen()
  ;[seen, answers] = [[], {}]
  phone.data = { ...phone.data, status: 'ready' }
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/**
 * Resolves when the server has read all requests that were sent before. On a busy machine it reads a request
 * after its client has stopped waiting, and the next test would count it. The server accepts a new connection
 * after the earlier connections.
 */
async function allSeen(): Promise<void> {
  answers = { 'GET /last': {} }
  const request = get(new URL('/last', client.baseUrl), { agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
}

const next = { text: 'Next' }
const webhook = 'whk_aaaaaaaaaaaa'
type Call = (options: CallOptions) => PromiseLike<unknown>
/** Each method that sends requests, by class. A call that waits does so because of the state set before it. */
const reads: Record<string, Record<string, Call>> = {
  Phonerack: {
    account: (options) => client.account(options),
    pastEvents: (options) => client.pastEvents(options).toArray(),
    request: (options) => client.request('GET', '/v1/account', options),
    send: (options) => client.send('GET', '/v1/account', options),
  },
  Phones: {
    get: (options) => client.phones.get(id, options),
    list: (options) => client.phones.list(options).toArray(),
    getOrCreate: (options) => client.phones.getOrCreate({ key: 'a', ...options }),
  },
  Phone: {
    refresh: (options) => phone.refresh(options),
    waitUntilReady: (options) => {
      phone.data = { ...phone.data, status: 'starting' }
      return phone.waitUntilReady(options)
    },
    waitUntilParked: (options) => {
      phone.data = { ...phone.data, status: 'parking' }
      return phone.waitUntilParked(options)
    },
    sessions: (options) => phone.sessions(options).toArray(),
    observe: (options) => phone.observe(options),
    changes: (options) => phone.changes(options),
    screenshot: (options) => phone.screenshot(options),
    apps: (options) => phone.apps(options),
  },
  Device: {
    info: (options) => phone.device.info(options),
    clipboard: (options) => phone.device.clipboard(options),
    location: (options) => phone.device.location(options),
    locale: (options) => phone.device.locale(options),
    timezone: (options) => phone.device.timezone(options),
  },
  Files: {
    list: (options) => phone.files.list('/sdcard', options),
    read: (options) => phone.files.read('/sdcard/a', options),
  },
  Steps: {
    list: (options) => phone.steps.list(options).toArray(),
    get: (options) => phone.steps.get('stp_a', options),
    screenshot: (options) => phone.steps.screenshot('stp_a', options),
    export: (options) => phone.steps.export('html', options),
  },
  Apps: {
    getUpload: (options) => client.apps.getUpload('upl_a', options),
    uploads: (options) => client.apps.uploads(options).toArray(),
    library: (options) => client.apps.library('a', options).toArray(),
  },
  Handoff: { get: (options) => handoff.get(options), done: (options) => handoff.done(options) },
  Recording: { ready: (options) => recording.ready(options), video: (options) => recording.video(options) },
  Reports: {
    logs: (options) => phone.reports.logs(options).toArray(),
    crashes: (options) => phone.reports.crashes(options).toArray(),
    notifications: (options) => phone.reports.notifications(options),
  },
  Webhooks: {
    list: (options) => client.webhooks.list(options),
    get: (options) => client.webhooks.get(webhook, options),
    deliveries: (options) => client.webhooks.deliveries(webhook, options).toArray(),
  },
}
const writes: Record<string, Record<string, Call>> = {
  Reports: {
    openNotification: (options) => phone.reports.openNotification('ntf_aaaaaaaaaaaa', options),
    dismissNotification: (options) => phone.reports.dismissNotification('ntf_aaaaaaaaaaaa', options),
  },
  Permissions: { set: (options) => phone.permissions.set('a.b', { grant: ['a.c'] }, options) },
  Webhooks: {
    create: (options) => client.webhooks.create({ url: 'https://a.example' }, options),
    update: (options) => client.webhooks.update(webhook, { description: 'a' }, options),
    delete: (options) => client.webhooks.delete(webhook, options),
    rotate: (options) => client.webhooks.rotate(webhook, options),
    test: (options) => client.webhooks.test(webhook, options),
    retry: (options) => client.webhooks.retry(webhook, 'dlv_aaaaaaaaaaaa', options),
  },
  Phones: { create: (options) => client.phones.create(options) },
  Phone: {
    start: (options) => phone.start(options),
    park: (options) => phone.park(options),
    delete: (options) => phone.delete(options),
    heartbeat: (options) => phone.heartbeat(options),
    update: (options) => phone.update({ name: 'two' }, options),
    reboot: (options) => phone.reboot(options),
    reset: (options) => phone.reset(options),
    act: (options) => phone.act([{ type: 'home' }], options),
    shell: (options) => phone.shell('ls', options),
    doubleTap: (options) => phone.doubleTap({ text: 'a' }, options),
    longPress: (options) => phone.longPress({ text: 'a' }, options),
    tap: (options) => phone.tap(next, { timeout: 60_000, ...options }),
    type: (options) => phone.type('a', { into: next, timeout: 60_000, ...options }),
    clear: (options) => phone.clear(next, { timeout: 60_000, ...options }),
    waitFor: (options) => phone.waitFor(next, { timeout: 60_000, ...options }),
    press: (options) => phone.press('enter', options),
    back: (options) => phone.back(options),
    home: (options) => phone.home(options),
    swipe: (options) => phone.swipe({ x: 1, y: 2 }, { x: 3, y: 4 }, options),
    scroll: (options) => phone.scroll('down', options),
    scrollTo: (options) => phone.scrollTo(next, options),
    openApp: (options) => phone.openApp('a.b', options),
    closeApp: (options) => phone.closeApp('a.b', options),
    openUrl: (options) => phone.openUrl('https://a.example', options),
    install: (options) => phone.install({ package: 'a.b' }, options),
    uninstall: (options) => phone.uninstall('a.b', options),
    handOff: (options) => phone.handOff({ message: 'Help.' }, options),
    live: (options) => phone.live(options),
    record: (options) => phone.record(options),
  },
  Device: {
    setClipboard: (options) => phone.device.setClipboard('a', options),
    setLocation: (options) => phone.device.setLocation({ lat: 1, lng: 2 }, options),
    resetLocation: (options) => phone.device.resetLocation(options),
    setLocale: (options) => phone.device.setLocale('de-DE', options),
    setTimezone: (options) => phone.device.setTimezone('Europe/Berlin', options),
  },
  Files: {
    write: (options) => phone.files.write('/sdcard/a', 'a', options),
    delete: (options) => phone.files.delete('/sdcard/a', options),
  },
  Apps: {
    upload: (options) => client.apps.upload(new Uint8Array([1]), options),
    deleteUpload: (options) => client.apps.deleteUpload('upl_a', options),
  },
  Handoff: { cancel: (options) => handoff.cancel(options) },
  Recording: { stop: (options) => recording.stop(options), delete: (options) => recording.delete(options) },
  Setup: { key: (options) => setup.key(options) },
}
const flat = (calls: typeof reads): [name: string, call: Call][] =>
  Object.entries(calls).flatMap(([Class, methods]) =>
    Object.entries(methods).map(([name, call]): [string, Call] => [`${Class}.${name}`, call]),
  )
const errorOf = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

describe('a deadline that passes', () => {
  it.each(flat(reads))('ends %s, which changes nothing', async (_name, call) => {
    const thrown = await errorOf(call({ deadline: 100 }))
    // A person who has not answered does not mean that the network failed.
    const error = thrown instanceof PhonerackError && thrown.code === 'handoff_open' ? thrown.cause : thrown
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ code: 'timeout', isOutcomeUnknown: false })
    expect(seen.length).toBeLessThan(2)
  })

  it.each(flat(writes))('ends %s with an unknown outcome', async (_name, call) => {
    const error = await errorOf(call({ deadline: 100 }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ code: 'timeout', isOutcomeUnknown: true, retryable: false })
    expect(seen.length).toBeLessThan(2)
  })

  it('has been tested for each method that sends requests', () => {
    // A stream of events does not end.
    const others: Record<string, string[]> = { Phone: ['toJSON'], Phones: ['handle'], Phonerack: ['events'] }
    const classes = [
      Phonerack,
      Phones,
      Phone,
      Device,
      Files,
      Steps,
      Apps,
      Handoff,
      Recording,
      Setup,
      Webhooks,
      Reports,
      Permissions,
    ]
    for (const Class of classes) {
      const { name, prototype } = Class
      const sending = new Set([
        'sending',
        'one',
        'on',
        'screenSince',
        'path',
        'poll',
        'name',
        'status',
        'constructor',
      ])
      const methods = Object.getOwnPropertyNames(prototype).filter((each) => !sending.has(each))
      const tested = [...Object.keys(reads[name] ?? {}), ...Object.keys(writes[name] ?? {})]
      expect(tested.concat(others[name] ?? []).toSorted(), name).toEqual(methods.toSorted())
    }
  })
})

describe('the time of a call', () => {
  it('is the shorter one of `deadline` and `timeout`', async () => {
    for (const options of [
      { deadline: 200, timeout: 600_000 },
      { deadline: 600_000, timeout: 200 },
    ])
      expect(await errorOf(client.account(options))).toMatchObject({ code: 'timeout' })
  })

  it('holds for the wait for an element and the screen after it together', async () => {
    answers = { [`POST /v1/phones/${id}/actions`]: { results: [], completed: 1 } }
    const error = await errorOf(phone.waitFor(next, { deadline: 300 }))
    expect(error).toMatchObject({ code: 'timeout', isOutcomeUnknown: false })
    expect(seen).toEqual([`POST /v1/phones/${id}/actions`, `GET /v1/phones/${id}/observe`])
  })

  it('can be longer than a timer, and must be a time', async () => {
    answers = { 'GET /v1/account': { balance_usd: '1.000000' } }
    for (const deadline of [1e12, Number.POSITIVE_INFINITY, 60_000.5])
      expect(await client.account({ deadline })).toEqual({ balance_usd: '1.000000' })
    for (const deadline of [-1, Number.NaN])
      await expect(phone.observe({ deadline })).rejects.toThrow(TypeError)
  })

  it('ends the start of a setup', async () => {
    const error = await errorOf(Setup.start({ baseUrl: client.baseUrl, deadline: 200 }))
    expect(error).toMatchObject({ code: 'timeout', isOutcomeUnknown: true })
  })

  it('sends nothing once it is over', async () => {
    const over = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    const error = await errorOf(phone.tap(next, { signal: over }))
    expect(error).toMatchObject({ code: 'timeout', isOutcomeUnknown: false })
    expect(seen).toEqual([])
  })
})

it.each([...flat(reads), ...flat(writes)])('a signal ends %s with its reason', async (_name, call) => {
  const stop = new AbortController()
  const ended = errorOf(call({ signal: stop.signal }))
  await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(1)
  stop.abort(new RangeError('enough'))
  expect(await ended).toEqual(new RangeError('enough'))
})
