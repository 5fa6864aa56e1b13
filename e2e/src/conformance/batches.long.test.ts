/**
 * Chapter "Run actions" of the specification through `/v1`: the limits of a batch at their edges, who can run
 * a batch and when, and batches in which a part of the phone's fast way dies.
 */
import { limits } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { errorOf } from '../system/api.js'
import { eventually, newTenant } from '../system/tenant.js'
import { act, fresh, refusal, rent, run, within, type Rented } from './rented.js'

const system = inject('system')
let phone: Rented
beforeAll(async () => {
  phone = await rent(system)
}, 100_000)
afterAll(() => phone.api.delete(phone.path))

const post = (body: unknown) => phone.api.post(`${phone.path}/actions`, body)
const gallery = 'com.phonerack.gallery'
/**
 * An action that fails immediately, so that a batch that begins with it is accepted and no further action
 * runs.
 */
const stop = { type: 'tap', target: { x: -1, y: 0 } }
const issuesSchema = z.object({ issues: z.array(z.object({ path: z.array(z.unknown()) })) })
const middle = { x: 540, y: 1200 }
const above = { x: 540, y: 1000 }

describe('a batch', () => {
  const wait = { type: 'wait', ms: 1 }
  const gone = { type: 'wait_for', target: { text: 'Nowhere' }, state: 'gone' }
  const times = (count: number, action: object) => Array.from({ length: count }, () => action)

  it.each([
    ['20 actions', times(limits.actions.max, wait)],
    ['59,999 ms of waits', [...times(5, gone), { ...gone, timeout_ms: 9999 }]],
    ['60,000 ms of waits', times(6, gone)],
  ])('accepts %s [30.8, 30.12]', async (_name, actions) => {
    expect((await run(phone, actions)).completed).toBe(actions.length)
  })

  it.each([
    ['21 actions', times(limits.actions.max + 1, wait)],
    ['60,001 ms of waits', [...times(6, gone), wait]],
    ['no actions', []],
  ])('refuses %s [30.9, 30.13]', async (_name, actions) => {
    const answer = await post({ actions })
    expect(refusal(answer)).toEqual([400, 'validation_failed'])
    expect(errorOf(answer).details).toMatchObject({ issues: [{ path: ['actions'] }] })
  })

  it('has at most 200,000 bytes [30.7, 30.46]', async () => {
    const body = (bytes: number) => JSON.stringify({ actions: [wait], observe: 'none' }).padEnd(bytes, ' ')
    expect((await post(body(199_999))).status).toBe(200)
    expect((await post(body(200_000))).status).toBe(200)
    expect(refusal(await post(body(200_001)))).toEqual([413, 'payload_too_large'])
  })

  it('types at most 10,000 characters, and all of them arrive [31.19]', async () => {
    const title = { type: 'tap', target: { id: 'title' } }
    await act(
      phone,
      { type: 'open_app', package: 'com.phonerack.notes' },
      { type: 'tap', target: { desc: 'New note' } },
      title,
    )
    const most = Array.from({ length: 1000 }, (_, at) => String(at).padStart(9, '.')).join(' ') + ' '
    expect(most.length).toBe(10_000)
    expect((await run(phone, [{ type: 'type', text: most }])).results).toMatchObject([{ ok: true }])
    for (const text of [`${most}.`, '👩'.repeat(10_001), ''])
      expect(refusal(await post({ actions: [stop, { type: 'type', text }] }))).toEqual([
        400,
        'validation_failed',
      ])
    expect((await run(phone, [stop, { type: 'type', text: '👩'.repeat(10_000) }])).results).toHaveLength(1)
  }, 60_000)

  const ranges = [
    [{ type: 'long_press', target: middle }, 'duration_ms', 300, 10_000],
    [{ type: 'swipe', from: middle, to: above }, 'duration_ms', 50, 5000],
    [{ type: 'drag', from: middle, to: above, duration_ms: 50 }, 'hold_ms', 100, 5000],
    [{ type: 'drag', from: middle, to: above, hold_ms: 100 }, 'duration_ms', 50, 5000],
    [{ type: 'pinch', target: middle, duration_ms: 50 }, 'scale', 0.1, 10],
    [{ type: 'pinch', target: middle, scale: 2 }, 'duration_ms', 50, 5000],
    [{ type: 'scroll', direction: 'down' }, 'amount', 0.1, 1],
    [{ type: 'scroll_to', target: { text: 'Lake' } }, 'max_scrolls', 1, 30],
    [{ type: 'wait' }, 'ms', 1, 60_000],
    [gone, 'timeout_ms', 100, 60_000],
    [{ type: 'wait_idle' }, 'timeout_ms', 100, 30_000],
  ] as const

  it('accepts each value of an action at both ends of its range, and refuses values outside the range [31.35]', async () => {
    for (const [action, field, least, most] of ranges) {
      const step = Number.isInteger(least) ? 1 : 0.01
      for (const value of [least, most]) {
        const { results } = await run(phone, [stop, { ...action, [field]: value }])
        expect({ type: action.type, field, value, ran: results.length }).toMatchObject({ ran: 1 })
      }
      for (const value of [least - step, most + step]) {
        const answer = await post({ actions: [stop, { ...action, [field]: value }] })
        expect({ field, value, refusal: refusal(answer) }).toMatchObject({
          refusal: [400, 'validation_failed'],
        })
        const { issues } = issuesSchema.parse(errorOf(answer).details)
        expect(issues.map(({ path }) => path)).toContainEqual(['actions', 1, field])
      }
    }
  }, 60_000)

  it('runs each action at the minimum of its range [31.36]', async () => {
    // A static screen gives two equal trees in 100 ms only on a fast machine.
    const quick = ranges.filter(([{ type }]) => type !== 'wait_idle')
    const least = quick.map(([action, field, value]) => ({ ...action, [field]: value }))
    // The actions that need the app's first screen come first.
    const ordered = least.toSorted((a, b) => Number(b.type === 'scroll_to') - Number(a.type === 'scroll_to'))
    const lake = { type: 'wait_for', target: { text: 'Lake' } }
    await act(phone, ...fresh(gallery), lake, ...ordered)
  }, 60_000)
})

describe('while a part of the phone dies', () => {
  const dialogs = 'com.phonerack.dialogs'
  const counter = { type: 'tap', target: { id: 'counter' } }
  const held = { type: 'long_press', target: { x: 540, y: 2300 }, duration_ms: 10_000 }
  const touches = async () => (await phone.faults.counters()).touches
  beforeAll(async () => {
    await act(phone, ...fresh(dialogs))
  })

  it('taps once when the scrcpy server was killed earlier [39.13]', async () => {
    const before = await touches()
    await phone.faults.killScrcpy()
    const { results } = await within(15_000, run(phone, [counter]))
    const tapped = results[0]?.ok === true ? 1 : 0
    if (tapped === 0) expect(results[0]?.error?.code).toMatch(/^(phone_unavailable|action_outcome_unknown)$/)
    await eventually('input to be back', 150_000, async () => (await run(phone, [counter])).completed === 1)
    expect((await touches()) - before).toBeLessThanOrEqual(tapped + 1)
  }, 60_000)

  it('reports an unknown outcome for a gesture in which the scrcpy server was killed, and begins it once [39.14]', async () => {
    const before = await touches()
    const answer = run(phone, [held, counter])
    await expect.poll(async () => (await touches()) - before, { timeout: 150_000 }).toBe(1)
    await phone.faults.killScrcpy()
    const { results } = await within(15_000, answer)
    expect(results.map(({ type, error }) => [type, error?.code])).toEqual([
      ['long_press', 'action_outcome_unknown'],
    ])
    expect((await touches()) - before).toBe(1)
    await eventually('input to be back', 150_000, async () => (await run(phone, [counter])).completed === 1)
  }, 60_000)

  it('finds its targets when the UI server has died [39.11]', async () => {
    await phone.faults.crashUiServer()
    const waiting = run(phone, [{ type: 'wait_for', target: { text: 'Nowhere' }, timeout_ms: 1500 }])
    await phone.faults.crashUiServer()
    expect((await within(15_000, waiting)).results[0]?.error?.code).toBe('wait_timeout')
    expect((await run(phone, [counter])).completed).toBe(1)
  }, 60_000)

  it('begins no action when the phone does not answer at all [30.35]', async () => {
    // The screen's size is cached for a second. By then, earlier taps have reached the phone too.
    await run(phone, [{ type: 'wait', ms: 1100 }])
    const before = await touches()
    await phone.faults.hangEvery(1)
    try {
      const answer = await within(20_000, post({ actions: [counter], observe: 'none' }))
      expect([answer.status, errorOf(answer).retryable]).toEqual([expect.any(Number), true])
      expect(errorOf(answer).code).toMatch(/^(provider_error|phone_unavailable)$/)
    } finally {
      await phone.faults.heal()
    }
    await eventually(
      'the phone to be back',
      60_000,
      async () => (await post({ actions: [{ type: 'home' }] })).status === 200,
    )
    expect(await touches()).toBe(before)
  }, 120_000)
})

/** This test is the last, since it makes the phone unusable. */
describe('the rights and phone statuses that a batch needs', () => {
  const actions = [{ type: 'home' }]

  it('needs the right to control this phone [30.1]', async () => {
    const answer = await phone.tenant.readOnly.post(`${phone.path}/actions`, { actions })
    expect(refusal(answer)).toEqual([403, 'insufficient_scope'])
    expect(errorOf(answer).details).toMatchObject({ required: 'phones:control' })
    const { admin } = await newTenant(system)
    expect(refusal(await admin.post(`${phone.path}/actions`, { actions }))).toEqual([404, 'phone_not_found'])
  })

  it('ends with the phone being parked, which does not wait for it [31.39]', async () => {
    const before = await phone.faults.counters()
    const batch = post({
      actions: [
        { type: 'key', key: 'a' },
        { type: 'wait', ms: 50_000 },
        { type: 'key', key: 'b' },
      ],
      observe: 'none',
    })
    await expect
      .poll(async () => (await phone.faults.counters()).keys - before.keys, { timeout: 150_000 })
      .toBe(1)
    const parked = await phone.api.post(`${phone.path}/park`)
    expect([parked.status, parked.body]).toMatchObject([200, { status: 'parked' }])
    const answer = await batch
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ completed: 1, results: [{ ok: true }, { type: 'wait', ok: false }] })
  }, 60_000)

  const requests = [
    ['GET', 'observe', undefined],
    ['GET', 'screenshot', undefined],
    ['POST', 'actions', { actions }],
    ['GET', 'files', undefined],
    ['GET', 'device', undefined],
    ['GET', 'clipboard', undefined],
    ['PUT', 'clipboard', { text: 'a' }],
    ['PUT', 'location', { lat: 0, lng: 0 }],
    ['GET', 'locale', undefined],
    ['PUT', 'timezone', { timezone: 'Asia/Tokyo' }],
    ['POST', 'reboot', undefined],
  ] as const

  it.each(requests)(
    '%s %s of a parked phone names the request that starts it [30.2]',
    async (method, part, body) => {
      const answer = await phone.api.request(
        method,
        `${phone.path}/${part}`,
        body === undefined ? {} : { body },
      )
      expect(refusal(answer)).toEqual([409, 'phone_not_running'])
      expect(errorOf(answer)).toMatchObject({
        next: `POST ${phone.path}/start`,
        details: { status: 'parked' },
        retryable: false,
      })
    },
  )

  it('is gone with the phone', async () => {
    expect((await phone.api.delete(phone.path)).status).toBe(200)
    for (const [method, part, body] of requests)
      expect(
        refusal(await phone.api.request(method, `${phone.path}/${part}`, body === undefined ? {} : { body })),
      ).toEqual([409, 'phone_deleted'])
  })
})
