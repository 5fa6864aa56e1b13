// Texts of the pages for times, money, actions and rows.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageOf, RequestFailed } from './api/client'
import { isOfStripe } from './pages/credit/stripe'
import { type Webhook } from './api/types'
import { actionText } from './pages/phone/action-text'
import { byArea, elementName, placeOf, targetsOf } from './pages/phone/targets'
import { snippetsOf } from './pages/keys/snippets'
import { alarmsOf } from './pages/operator/alarms'
import { clockText, daysUntil } from './pages/operator/texts'
import { errorText, stateOf, typesText } from './pages/webhooks/texts'
import { bytesText } from './ui/bytes'
import { csvOf } from './ui/csv'
import { undirected, withEscapes } from './direction'
import { durationText } from './ui/duration'
import { usdText } from './ui/money'
import { agoText } from './ui/time'

it.each([
  ['0.000000', '$0.00'],
  ['12.500000', '$12.50'],
  ['0.001250', '$0.00125'],
  ['100.000000', '$100.00'],
  ['1234567.100000', '$1,234,567.10'],
  ['-3.100000', '-$3.10'],
])('shows %s dollars as %s', (usd, text) => {
  expect(usdText(usd)).toBe(text)
})

it.each([
  [59, '59 s'],
  [60, '1 min'],
  [3599, '59 min'],
  [7320, '2 h 2 min'],
  [2 * 86_400 - 1, '47 h 59 min'],
  [2 * 86_400, '2 days'],
])('shows %s seconds as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

it.each([
  [-86_400, 'yesterday'],
  [-30, 'just now'],
  [30, 'in less than a minute'],
  [7200, 'in 2 hours'],
])('shows the time in %s seconds as %s', (seconds, text) => {
  const now = new Date('2026-01-02T03:04:05Z')
  expect(agoText(new Date(now.getTime() + seconds * 1000), now)).toBe(text)
})

it('shows in seconds when a host that may be lost was last seen', () => {
  const now = new Date('2026-01-02T03:04:05Z')
  expect(agoText(new Date(now.getTime() - 41_000), now, true)).toBe('41 seconds ago')
  expect(agoText(new Date(now.getTime() - 120_000), now, true)).toBe('2 minutes ago')
})

it.each([
  [{ type: 'home' }, 'home'],
  [{ type: 'tap', target: { text: 'Settings' } }, 'tap “Settings”'],
  [{ type: 'tap', target: { ref: 4, snapshot_id: 'snp_a' } }, 'tap element 4'],
  [{ type: 'double_tap', target: { x: 10, y: 20 } }, 'double tap 10, 20'],
  [{ type: 'type', text: '[redacted]', target: { id: 'search' } }, 'type “[redacted]” in “search”'],
  [{ type: 'open_app', package: 'com.example' }, 'open app com.example'],
  [{ type: 'swipe', from: { x: 1, y: 2 }, to: { x: 3, y: 4 } }, 'swipe 1, 2 to 3, 4'],
  [{ type: 'wait', ms: 500 }, 'wait 500 ms'],
  [{ type: 'shake_well', target: null }, 'shake well'],
])('describes the action %j', (action, text) => {
  expect(actionText(action)).toBe(text)
})

describe('marks that change the direction of text', () => {
  const hostile = 'a\u2069\u202Eb\u2067c'
  it('are removed from names, and escaped in JSON and in lines of the screen', () => {
    expect(undirected(hostile)).toBe('abc')
    expect(withEscapes(hostile)).toBe('a\\u2069\\u202eb\\u2067c')
    expect(JSON.parse(withEscapes(JSON.stringify({ hostile })))).toEqual({ hostile })
    expect(actionText({ type: 'tap', target: { text: hostile } })).toBe('tap “abc”')
  })
})

describe('a CSV file', () => {
  it('quotes its cells, and begins none of them as a formula', () => {
    const rows = [
      { a: '=1+1', b: 'x "y", z' },
      { a: '@sum', b: null },
    ]
    expect(csvOf(['a', 'b'], rows)).toBe('a,b\r\n"\'=1+1","x ""y"", z"\r\n"\'@sum",""\r\n')
  })

  it.each(['=1', ' =1', '\u200b\u202e=1', '\uFF1D1', '-1+cmd', '-2e9', '+1', '\t=1', '\n1'])(
    'begins %j with an apostrophe',
    (a) => expect(csvOf(['a'], [{ a }])).toBe(`a\r\n"'${a}"\r\n`),
  )

  it('keeps numbers as they are, so that they can be added', () => {
    expect(csvOf(['a', 'b'], [{ a: '-3.100000', b: -2 }])).toBe('a,b\r\n"-3.100000","-2"\r\n')
  })
})

it('shows the advice of an error only if it is a sentence', () => {
  const failed = (next: string | null) =>
    new RequestFailed(400, { code: 'x', message: 'It failed.', next, details: {}, request_id: '' })
  expect(messageOf(failed('Try again.'))).toBe('It failed. Try again.')
  expect(messageOf(failed('GET /v1/phones'))).toBe('It failed.')
  expect(messageOf(failed(null))).toBe('It failed.')
  expect(messageOf(new Error('No file a\u2069\u202Eb is there.'))).toBe('No file ab is there.')
})

it.each([
  [
    'Send the request again after `Retry-After`, or delete a phone that you do not need: a parked phone keeps its device (GET /v1/phones?status=parked).',
    'Try again later, or delete a phone that you do not need: a parked phone keeps its device.',
  ],
  ['Park a phone that you do not need: GET /v1/phones?status=ready', 'Park a phone that you do not need.'],
  [
    'Delete uploads that you do not need (GET /v1/apps/uploads), then send the request again.',
    'Delete uploads that you do not need, then try again.',
  ],
  ['Run `./scripts/ctl setup approve CODE --project ID`.', ''],
  ['POST /v1/apps/uploads', ''],
])('the step %j is shown to a person as %j', (next, shown) => {
  const failed = { code: 'x', message: 'It failed.', next, details: {}, request_id: '' }
  expect(messageOf(new RequestFailed(503, failed))).toBe(shown === '' ? 'It failed.' : `It failed. ${shown}`)
})

it('removes requests, headers and code marks from advice for a person', () => {
  const folder = path.resolve(import.meta.dirname, '../../control-plane/src')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!gen|testing|openapi).*(?<!\.test)\.ts$/.test(name),
  )
  const steps = sources.flatMap((name) =>
    [...readFileSync(path.join(folder, name), 'utf8').matchAll(/\bnext:\s*'((?:[^'\\]|\\.)+)'/g)].map(
      ([, step = '']) => step,
    ),
  )
  expect(steps.length).toBeGreaterThan(50)
  const shown = steps.map((next) =>
    messageOf(
      new RequestFailed(400, { code: 'x', message: 'It failed.', next, details: {}, request_id: '' }),
    ),
  )
  expect(
    shown.filter((text) => /[`]|Retry-After|\/v1\/|\b(?:GET|POST|PUT|PATCH|DELETE) \//.test(text)),
  ).toEqual([])
})

it.each([
  ['https://pay.stripe.com/receipts/x', true],
  ['http://pay.stripe.com/receipts/x', false],
  ['https://pay.stripe.com.example/x', false],
  ['https://notstripe.com/x', false],
  ['https://pay.stripe.com:8443/x', false],
  ['https://pay.stripe.com@evil.example/x', false],
  ['javascript:alert(1)//.stripe.com', false],
  ['', false],
])('links the receipt %s: %s', (url, isLinked) => {
  expect(isOfStripe(url)).toBe(isLinked)
})

it('puts the address and the key into each example', () => {
  for (const [, text] of snippetsOf('https://phones.example', 'prk_x')) {
    expect(text).toContain('https://phones.example')
    expect(text).toContain('prk_x')
  }
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 kB'],
  [12_345, '12 kB'],
  [4_000_000, '4.0 MB'],
  [53_687_091_200, '54 GB'],
])('shows %s bytes as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

describe('an element of the screen', () => {
  const row = {
    ref: 4,
    type: 'Button',
    text: 'Sign "in"',
    desc: null,
    id: 'org.example:id/in',
    state: [],
    bounds: [100, 200, 300, 250] as [number, number, number, number],
    center: [200, 225] as [number, number],
  }

  it('has targets as JSON, from the most to the least stable', () => {
    expect(targetsOf({ snapshot_id: 'snp_a' }, row)).toEqual([
      '{"id":"org.example:id/in"}',
      '{"text":"Sign \\"in\\""}',
      '{"ref":4,"snapshot_id":"snp_a"}',
    ])
    expect(elementName(row)).toBe('4 Button “Sign "in"”')
    expect(elementName({ ...row, text: '' })).toBe('4 Button')
  })

  it('is on the picture where it is on the screen, as far as it is visible', () => {
    const size = { width: 1000, height: 2000 }
    expect(placeOf(row, size)).toEqual({ left: 10, top: 10, width: 20, height: 2.5 })
    expect(placeOf({ ...row, bounds: [-500, 1900, 500, 2500] }, size)).toEqual({
      left: 0,
      top: 95,
      width: 50,
      height: 5,
    })
    expect(placeOf({ ...row, bounds: [0, 2000, 500, 2500] }, size)).toBeNull()
  })

  it('is above the elements that contain it', () => {
    const page = { ...row, ref: 1, bounds: [0, 0, 1000, 2000] as [number, number, number, number] }
    expect(byArea([row, page]).map(({ ref }) => ref)).toEqual([1, 4])
  })
})

it('counts whole days until the end of a certificate, and the difference of clocks', () => {
  const now = new Date('2026-01-02T00:00:00Z')
  expect(daysUntil('2026-02-01T12:00:00Z', now)).toBe(30)
  expect(daysUntil('2026-01-01T23:59:00Z', now)).toBe(-1)
  expect([clockText(-1234), clockText(40), clockText(null)]).toEqual([
    '1.2 s behind',
    'within 0.1 s',
    'not known',
  ])
})

describe('alarms', () => {
  const now = new Date('2026-01-02T00:00:00Z')
  type Hosts = Parameters<typeof alarmsOf>[0]
  type Devices = Parameters<typeof alarmsOf>[1]
  const host = {
    id: 'hst_1',
    name: 'rack-1',
    state: 'online',
    clock_ahead_ms: 40,
    certificate_expires_at: '2026-12-01T00:00:00Z',
  }
  const device = { id: 'dev_1', serial: 'R5', state: 'free', condition: { warnings: [] } }
  const textsOf = (hosts: object[], devices: object[]) =>
    alarmsOf(hosts as unknown as Hosts, devices as unknown as Devices, null, now).map(
      ({ name, text }) => `${name} ${text}`,
    )

  it('are empty while all is well', () => {
    expect(textsOf([host], [device, { ...device, condition: null }])).toEqual([])
  })

  it('name silent hosts, their certificates and clocks, and devices with a fault', () => {
    const hosts = [
      { ...host, state: 'lost', clock_ahead_ms: 90_000 },
      { ...host, certificate_expires_at: '2026-01-12T00:00:00Z', clock_ahead_ms: -6000 },
    ]
    const devices = [
      { ...device, state: 'quarantined' },
      { ...device, condition: { warnings: ['The battery is hot.'] } },
    ]
    expect(textsOf(hosts, devices)).toEqual([
      'rack-1 is lost.',
      'rack-1 has a certificate that ends in 10 days.',
      'rack-1 has a clock that is 6.0 s behind.',
      'R5 is quarantined.',
      'R5 : The battery is hot.',
    ])
  })

  it('name parts of the service that need attention', () => {
    const well = {
      service: { paused_at: null },
      nats: { is_connected: true },
      postgres: { connections: 89, max_connections: 100 },
      clock_ahead_ms: 40,
    }
    const of = (system: object) =>
      alarmsOf([], [], system as unknown as Parameters<typeof alarmsOf>[2], now).map(
        ({ name, text }) => `${name} ${text}`,
      )
    expect(of(well)).toEqual([])
    const ill = {
      service: { paused_at: '2026-01-01T00:00:00Z' },
      nats: { is_connected: false },
      postgres: { connections: 90, max_connections: 100 },
      clock_ahead_ms: -7000,
    }
    expect(of(ill)).toEqual([
      'The service is paused.',
      'NATS is not connected.',
      'Postgres has 90 of 100 connections.',
      'The control plane has a clock that is 7.0 s behind.',
    ])
  })
})

describe('a webhook', () => {
  const on: Webhook = {
    object: 'webhook',
    id: 'whk_1',
    url: 'https://a.example',
    description: null,
    events: null,
    enabled: true,
    switched_off: null,
    is_secret_readable: true,
    failing_since: null,
    earlier_secret_expires_at: null,
    created_at: '2026-01-02T00:00:00Z',
  }
  const at = '2026-01-02T00:00:00Z'
  it.each<[Partial<Webhook>, string, string | null]>([
    [{}, 'on', null],
    [{ failing_since: at }, 'failing', 'The last attempt failed.'],
    [{ switched_off: { at, is_after_failures: false } }, 'switched off', 'Switched off. Events'],
    [{ switched_off: { at, is_after_failures: true } }, 'switched off', 'every attempt failed for 3 days'],
    [
      { switched_off: { at, is_after_failures: true }, is_secret_readable: false },
      'secret unreadable',
      'Rotate the secret.',
    ],
  ])('with %j is %s', (change, name, text) => {
    const state = stateOf({ ...on, ...change })
    expect(state.name).toBe(name)
    if (text === null) expect(state.text).toBeNull()
    else expect(state.text).toContain(text)
  })

  it('lists a few types, counts many, and says why an attempt failed', () => {
    expect([typesText(null), typesText(['a', 'b']), typesText(['a', 'b', 'c'])]).toEqual([
      'all events',
      'a, b',
      '3 types of events',
    ])
    const withError = (error: string | null) => errorText({ error } as Parameters<typeof errorText>[0])
    expect([withError(null), withError('timeout'), withError('new_reason')]).toEqual([
      null,
      'The receiver did not answer before the time limit.',
      'new_reason',
    ])
  })
})
