/** The guard on a simulated phone; at the end over gRPC with a virtual phone behind the real adb. */
import { actionTypes, storePackages, walletPackages, type ActionResult } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { resultsOf, session, startPhoneAndHost, untilLink } from '../testing/phone.js'
import { run } from '../testing/simulated-batch.js'
import { simulatedPhone, type SimulatedPhone, type SimulatedView } from '../testing/simulated-phone.js'

const button = (text: string, more: Partial<SimulatedView> = {}): SimulatedView => ({
  class: 'android.widget.Button',
  text,
  flags: ['clickable'],
  bounds: [0, 100, 1080, 200],
  ...more,
})
const field = (id: string, flags: string[] = [], more: Partial<SimulatedView> = {}): SimulatedView => ({
  class: 'android.widget.EditText',
  id: `com.example.app:id/${id}`,
  bounds: [0, 300, 1080, 400],
  flags: ['clickable', 'focusable', ...flags],
  ...more,
})
/** The phone reports this package in front, with this activity. */
function showing(phone: SimulatedPhone, name: string, activity: string | null = null): SimulatedPhone {
  const read = phone.device.windows.read.bind(phone.device.windows)
  phone.device.windows.read = async (progress) => ({ ...(await read(progress)), package: name, activity })
  return phone
}
const guarded = (phone: SimulatedPhone, ...actions: object[]) =>
  run(phone, actions, 'none', { guarded: true })
const writes = ({ log }: SimulatedPhone): string[] =>
  log.filter((line) => /^(?:tap|key|type|open|url|stop|swipe|\d)/.test(line))
const refusal = (result: ActionResult | undefined) => ({
  code: result?.error?.code,
  reason: result?.error?.details['reason'],
})

/** One action of each type that reaches the app in front. */
const acting: readonly object[] = [
  ...['tap', 'double_tap', 'long_press'].map((type) => ({ type, target: { text: 'Buy' } })),
  { type: 'type', text: 'a' },
  { type: 'clear' },
  ...['a', 'enter', 'tab', 'dpad_center'].map((key) => ({ type: 'key', key })),
  ...['swipe', 'drag'].map((type) => ({ type, from: { x: 1, y: 1 }, to: { x: 1, y: 900 } })),
  { type: 'pinch', target: { x: 500, y: 500 }, scale: 2 },
  { type: 'scroll', direction: 'down' },
  { type: 'scroll_to', direction: 'down', target: { text: 'Buy' } },
]
const leaving: readonly object[] = [
  ...['back', 'home', 'recents', 'hide_keyboard'].map((type) => ({ type })),
  { type: 'close_app', package: 'com.example.app' },
  { type: 'open_app', package: 'com.example.app' },
  { type: 'open_url', url: 'https://example.com/' },
  ...['volume_up', 'wake'].map((key) => ({ type: 'key', key })),
  { type: 'wait', ms: 1 },
  { type: 'wait_idle' },
  { type: 'wait_for', target: { text: 'Buy' } },
]

it('decides about each type of action', () => {
  // No shell command is allowed.
  const types = [...acting, ...leaving, { type: 'shell' }].map((action) => (action as { type: string }).type)
  expect([...new Set(types)].sort()).toEqual([...actionTypes].sort())
})

it('refuses a shell command on each screen [44.8]', async () => {
  const phone = simulatedPhone([button('Buy')])
  const { results } = await guarded(phone, { type: 'shell', command: 'input tap 1 1' })
  expect(results).toMatchObject([{ ok: false, error: { code: 'shell_not_allowed' } }])
  expect(phone.log.join()).not.toContain('shell')
})

describe.concurrent('a listed app', () => {
  it.each(acting)('in front is not acted on by %j [40.45]', async (action) => {
    const phone = showing(simulatedPhone([button('Buy')]), 'com.android.vending')
    const { results, completed } = await guarded(phone, action)
    expect([refusal(results[0]), completed, writes(phone)]).toEqual([
      { code: 'handoff_required', reason: 'store' },
      0,
      [],
    ])
    expect(results[0]?.error).toMatchObject({
      retryable: false,
      next: 'POST /v1/phones/{id}/handoffs',
      details: { package: 'com.android.vending' },
    })
  })

  it.each(leaving)('in front can be left and watched by %j [40.46]', async (action) => {
    const phone = showing(simulatedPhone([button('Buy')]), 'com.android.vending')
    expect((await guarded(phone, action)).results[0]).toMatchObject({ ok: true })
  })

  it.each([...storePackages, ...walletPackages])('%s is not opened [40.47]', async (name) => {
    const phone = simulatedPhone([])
    const { results } = await guarded(phone, { type: 'home' }, { type: 'open_app', package: name })
    expect(results.map(({ ok }) => ok)).toEqual([true, false])
    expect(refusal(results[1]).code).toBe('handoff_required')
    expect(writes(phone)).toEqual(['key 3'])
  })

  it('is not opened by a link [40.48]', async () => {
    const phone = simulatedPhone([])
    const { results } = await guarded(phone, { type: 'open_url', url: 'https://play.google.com/store' })
    expect(refusal(results[0])).toEqual({ code: 'handoff_required', reason: 'store_or_wallet_link' })
    expect(writes(phone)).toEqual([])
  })

  it('is recognised by its activity in another package, and by the element that is touched', async () => {
    const gms = 'com.google.android.gms'
    const sheet = showing(simulatedPhone([button('Pay')]), gms, `${gms}.wallet.PaymentActivity`)
    expect(refusal((await guarded(sheet, acting[0] ?? {})).results[0]).reason).toBe('wallet')
    const split = simulatedPhone([button('Buy', { attributes: { package: 'com.android.vending' } })])
    expect(refusal((await guarded(split, acting[0] ?? {})).results[0]).reason).toBe('store')
    expect(writes(split)).toEqual([])
  })

  it('in front since an earlier action is not acted on', async () => {
    const phone = simulatedPhone([button('Buy', { onTap: () => void showing(phone, 'com.android.vending') })])
    const tap = { type: 'tap', target: { text: 'Buy' } }
    const { results, completed } = await guarded(phone, tap, tap)
    expect([completed, refusal(results[1]).reason]).toEqual([1, 'store'])
    expect(writes(phone)).toHaveLength(1)
  })

  it('is used as before without the guard', async () => {
    const phone = showing(simulatedPhone([button('Buy')]), 'com.android.vending')
    expect((await run(phone, [acting[0] ?? {}])).completed).toBe(1)
  })
})

describe.concurrent('a field', () => {
  const secret = (...more: string[]) => field('login', ['password', ...more])
  const text = { type: 'type', text: 'hunter2' }

  it.each([
    ['a password field', secret('focused'), 'password_field'],
    ['a card number', field('card_number', ['focused']), 'payment_field'],
    ['a field with a hint', field('x', ['focused'], { attributes: { hint: 'CVC' } }), 'payment_field'],
  ])('gets no text: %s [40.49]', async (_, view, reason) => {
    for (const action of [
      text,
      { type: 'clear' },
      { type: 'key', key: 'a' },
      { type: 'key', key: 'v', modifiers: ['ctrl'] },
    ]) {
      const phone = simulatedPhone([view])
      expect(refusal((await guarded(phone, action)).results[0])).toEqual({ code: 'handoff_required', reason })
      expect(writes(phone)).toEqual([])
    }
  })

  it('is not even tapped in order to type', async () => {
    const phone = simulatedPhone([secret()])
    const { results } = await guarded(phone, { ...text, target: { id: 'login' } })
    expect([refusal(results[0]).reason, writes(phone)]).toEqual(['password_field', []])
  })

  it('gets no text from keys of the keyboard on the screen', async () => {
    const phone = simulatedPhone([secret('focused')])
    phone.keyboardVisible = true
    const { results } = await guarded(phone, { type: 'tap', target: { x: 500, y: 2000 } })
    expect([refusal(results[0]).reason, writes(phone)]).toEqual(['password_field', []])
  })

  it('is not held, which would open a menu with "Paste"', async () => {
    for (const action of [
      { type: 'long_press', target: { id: 'login' } },
      { type: 'double_tap', target: { id: 'login' } },
      { type: 'drag', from: { id: 'login' }, to: { text: 'Sign in' } },
      { type: 'swipe', from: { id: 'login' }, to: { id: 'login' }, duration_ms: 2000 },
    ]) {
      const phone = simulatedPhone([secret(), button('Sign in')])
      const [result] = (await guarded(phone, action)).results
      expect([refusal(result).reason, writes(phone)], action.type).toEqual(['password_field', []])
    }
    const phone = simulatedPhone([field('city'), button('Sign in')])
    const { completed } = await guarded(phone, { type: 'long_press', target: { id: 'city' } })
    expect(completed).toBe(1)
  })

  it('can be tapped, left and submitted', async () => {
    const phone = simulatedPhone([secret('focused'), button('Sign in')])
    const { completed } = await guarded(
      phone,
      { type: 'tap', target: { id: 'login' } },
      { type: 'key', key: 'tab' },
      { type: 'key', key: 'enter' },
      { type: 'tap', target: { text: 'Sign in' } },
    )
    expect(completed).toBe(4)
  })

  it('without a guarded name gets its text', async () => {
    const phone = simulatedPhone([field('city', ['focused'])])
    expect((await guarded(phone, text)).completed).toBe(1)
    expect(phone.views[0]?.text).toBe('hunter2')
  })
})

it('fails an action whose screen cannot be read, instead of sending it', async () => {
  const phone = simulatedPhone([])
  phone.device.ui.source = () => Promise.resolve('ERROR: null root node')
  const { results } = await guarded(phone, { type: 'tap', target: { x: 5, y: 5 } })
  expect([results[0]?.ok, writes(phone)]).toEqual([false, []])
})

it('guards only calls for it over gRPC, and names the phone', { timeout: 240_000 }, async () => {
  const both = await startPhoneAndHost()
  const { phone, host } = both
  try {
    await untilLink(host, phone.serial, 'unenrolled', 60_000)
    await host.control.enroll({ serial: phone.serial, fencingNumber: 1n }, 150_000)
    await untilLink(host, phone.serial, 'healthy', 60_000)
    const calls = session(host.control, phone.serial, 2n)
    await calls.start()
    const open = { type: 'open_app', package: 'com.android.vending' } as const
    const messages = await calls.runGuarded([open])
    expect(resultsOf(messages)).toMatchObject([{ ok: false, error: { code: 'handoff_required' } }])
    const { event } = messages.at(-1) ?? {}
    expect(event?.$case === 'ended' && String(event.value.resultsJson)).toContain(
      '"next":"POST /v1/phones/ph_aaaaaaaaaaaa/handoffs"',
    )
    expect(resultsOf(await calls.run([open]))[0]?.error?.code).toBe('app_not_found')
  } finally {
    await both.stop()
  }
})
