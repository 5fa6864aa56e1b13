/**
 * Chapter "Run actions" of the specification, and "Actions" of the additions, through `/v1`: targets,
 * snapshots, apps, URLs and waits, which work the same on every phone.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { errorOf } from '../system/api.js'
import { act, failureOf, fresh, rent, run, tap, withId, type Rented } from './rented.js'

const notes = 'com.phonerack.notes'
const contacts = 'com.android.contacts'
const dialogs = 'com.phonerack.dialogs'
const launcher = 'com.android.launcher3'

let phone: Rented
beforeAll(async () => {
  phone = await rent(inject('system'))
}, 100_000)
afterAll(() => phone.api.delete(phone.path))
const post = (body: unknown) => phone.api.post(`${phone.path}/actions`, body)

describe('with a target', () => {
  it('which is missing or ambiguous: the action is not sent, later actions do not run, candidates can be tapped [23.53, 23.54, 30.4, 30.28, 30.29]', async () => {
    await act(phone, ...fresh(dialogs))
    const { touches } = await phone.faults.counters()
    const batch = await run(phone, [tap({ id: 'counter' }), tap({ text: 'Chooze' }), tap({ id: 'counter' })])
    expect(batch.results.map(({ ok }) => ok)).toEqual([true, false])
    expect(batch.completed).toBe(1)
    expect((await phone.faults.counters()).touches - touches).toBe(1)
    const error = batch.results[1]?.error
    expect(error).toMatchObject({ code: 'target_not_found', retryable: false })
    expect(error?.details).toMatchObject({
      target: { text: 'Chooze' },
      snapshot_id: batch.observation?.snapshot_id,
    })
    const candidates = error?.details['candidates'] as { ref: number; text: string; center: number[] }[]
    const chosen = candidates.find(({ text }) => text === 'Choose several')
    expect(chosen).toEqual({
      ref: expect.any(Number) as number,
      type: 'Button',
      text: 'Choose several',
      desc: null,
      id: expect.stringContaining(':id/') as string,
      center: [expect.any(Number), expect.any(Number)] as number[],
    })
    const opened = await act(phone, tap({ ref: chosen?.ref, snapshot_id: batch.observation?.snapshot_id }))
    expect(opened.text).toContain('Toppings')

    const list = await act(phone, ...fresh(contacts))
    const names = list.elements.flatMap(({ text }) => (text?.startsWith('Ada ') === true ? [text] : []))
    const several = await failureOf(phone, tap({ text: 'ada' }))
    expect(several).toMatchObject({ code: 'ambiguous_target', details: { matches: names.length } })
    expect(several.next).toContain('nth')
    expect((await act(phone, tap({ text: 'ada', nth: 1 }))).text).toContain(`"${names[1]}" #large_title`)
    await act(phone, ...fresh(contacts))
    expect((await failureOf(phone, tap({ text: 'ada', nth: names.length }))).code).toBe('target_not_found')
    await act(phone, ...fresh(dialogs))
    expect((await failureOf(phone, tap({ id: 'coun' }))).code).toBe('target_not_found')
  })

  it('at the edge of the screen, and outside it [31.13]', async () => {
    for (const [x, y] of [
      [0, 0],
      [1079, 2399],
    ])
      expect((await run(phone, [{ type: 'home' }, tap({ x, y })])).completed).toBe(2)
    for (const [x, y] of [
      [1080, 0],
      [0, 2400],
      [-1, 0],
    ])
      expect(await failureOf(phone, tap({ x, y }))).toMatchObject({
        code: 'target_not_found',
        details: { screen: { width: 1080, height: 2400 } },
      })
    const { touches } = await phone.faults.counters()
    const swipe = { type: 'swipe', from: { x: 540, y: 1000 }, to: { x: 540, y: 2400 } }
    expect((await failureOf(phone, swipe)).code).toBe('target_not_found')
    expect((await phone.faults.counters()).touches).toBe(touches)
  })

  it('which takes no text [23.56, 30.31, 31.22]', async () => {
    await act(phone, { type: 'home' })
    const { texts, pastes, keys } = await phone.faults.counters()
    expect((await failureOf(phone, { type: 'type', text: 'lost' })).code).toBe('no_focused_field')
    expect((await failureOf(phone, { type: 'clear' })).code).toBe('no_focused_field')
    expect(await phone.faults.counters()).toMatchObject({ texts, pastes, keys })
  })
})

it('find no target by a snapshot that is no longer valid [23.55, 30.30, 31.4]', async () => {
  const seen = await act(phone, ...fresh(notes))
  const target = { ref: withId(seen, 'fab').ref, snapshot_id: seen.snapshot_id }
  await act(phone, { type: 'home' })
  expect(await failureOf(phone, tap(target))).toMatchObject({
    code: 'stale_snapshot',
    details: { reason: 'changed', target },
  })
  expect((await act(phone, { type: 'open_app', package: notes }, tap(target))).app.activity).toContain('Edit')
  for (const unknown of [
    { ...target, snapshot_id: 'snp_aaaaaaaaaaaa' },
    { ...target, ref: 499 },
  ])
    expect(await failureOf(phone, tap(unknown))).toMatchObject({
      code: 'stale_snapshot',
      details: { reason: 'unknown' },
    })
})

it('open, close and leave apps, and hide the keyboard [31.26, 31.32]', async () => {
  const front = async () => (await phone.faults.state()).focused.package
  await run(phone, [{ type: 'open_app', package: dialogs, activity: '.MainActivity' }])
  await expect.poll(front, { timeout: 150_000 }).toBe(dialogs)
  await run(phone, [{ type: 'recents' }])
  await expect.poll(front, { timeout: 150_000 }).toBe(launcher)
  await run(phone, [{ type: 'open_app', package: dialogs }, { type: 'home' }])
  await expect.poll(front, { timeout: 150_000 }).toBe(launcher)
  const opened = await act(phone, ...fresh(notes), tap({ text: 'Shopping' }), tap({ id: 'body' }))
  expect(opened.keyboard.visible).toBe(true)
  const hidden = await act(phone, { type: 'hide_keyboard' }, { type: 'hide_keyboard' })
  expect([hidden.keyboard.visible, hidden.app.activity]).toEqual([false, `${notes}.EditActivity`])
  expect((await act(phone, { type: 'back' })).app.activity).toBe(`${notes}.MainActivity`)
  await run(phone, [{ type: 'close_app', package: notes }])
  await expect.poll(front, { timeout: 150_000 }).toBe(launcher)

  for (const [action, name] of [
    [{ type: 'open_app', package: 'org.example.none' }, 'org.example.none'],
    [{ type: 'close_app', package: 'org.example.none' }, 'org.example.none'],
    [{ type: 'open_app', package: notes, activity: '.NoSuchActivity' }, notes],
  ] as const)
    expect(await failureOf(phone, action)).toMatchObject({
      code: 'app_not_found',
      retryable: false,
      details: { package: name },
    })
})

it('open URLs with any content [31.33]', async () => {
  const page = await act(phone, { type: 'open_url', url: 'https://news.test/ferry' })
  expect(page.text).toContain('From Monday the ferry')
  const { reboots } = await phone.faults.counters()
  const strange = `https://news.test/$(svc power reboot)?q=';svc power reboot;"&a=\`id\`#|`
  const seen = await act(phone, { type: 'open_url', url: strange })
  expect(withId(seen, 'url_bar').text).toBe(new URL(strange).href)
  expect((await phone.faults.counters()).reboots).toBe(reboots)
  const long = `https://news.test/${'a'.repeat(2048 - 18)}`
  expect((await run(phone, [{ type: 'open_url', url: long }])).completed).toBe(1)
  for (const url of [`${long}a`, 'ftp://news.test/', 'https://me@news.test/', 'news.test', 'file:///sdcard'])
    expect(errorOf(await post({ actions: [{ type: 'open_url', url }] })).details).toMatchObject({
      issues: [{ path: ['actions', 0, 'url'] }],
    })
})

it('wait for a time, for an element that appears, for an element that disappears, and for an idle screen [23.57, 30.32, 31.34]', async () => {
  const { results, completed } = await run(phone, [
    ...fresh(notes),
    { type: 'wait', ms: 120 },
    { type: 'wait_for', target: { text: 'Shopping' }, timeout_ms: 100 },
    { type: 'wait_for', target: { id: 'title' }, state: 'gone' },
    { type: 'wait_idle' },
  ])
  expect(completed).toBe(6)
  expect(results[2]?.ms).toBeGreaterThanOrEqual(119)
  for (const [action, details] of [
    [
      { type: 'wait_for', target: { text: 'Nowhere' }, timeout_ms: 100 },
      { state: 'visible', target: { text: 'Nowhere' } },
    ],
    [{ type: 'wait_for', target: { desc: 'New note' }, timeout_ms: 100, state: 'gone' }, { state: 'gone' }],
  ] as const)
    expect(await failureOf(phone, action)).toMatchObject({
      code: 'wait_timeout',
      retryable: true,
      details: { ...details, timeout_ms: 100 },
    })
})
