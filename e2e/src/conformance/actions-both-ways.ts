/** The effect of every type of action through `/v1`, on a phone with or without the fast way. */
import { keyNames, limits, type Observation } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { System } from '../system/system.js'
import { answersOn } from './actions-answers.js'
import { act, failureOf, fresh, look, rent, run, tap, withId, type Rented } from './rented.js'

const notes = 'com.phonerack.notes'
const dialogs = 'com.phonerack.dialogs'
const gallery = 'com.phonerack.gallery'
const settings = 'com.android.settings'
const contacts = 'com.android.contacts'

/** Opens an empty note with the focus in its body. */
const newNote = [...fresh(notes), tap({ desc: 'New note' }), tap({ id: 'body' })]
const scaleOf = (seen: Observation): number => Number(/Scale ([\d.]+)×/.exec(seen.text)?.[1])
const point = ([x, y]: readonly [number, number]) => ({ x, y })

/** @param fast whether the phone of `system` has scrcpy, the UI server and the settings app */
export const actionsOn = (system: System, fast: boolean): void => {
  let phone: Rented
  beforeAll(async () => {
    phone = await rent(system)
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))
  answersOn(() => phone)

  it('tap the element of each form of target, and report the point [30.19, 30.20, 31.1, 31.2, 31.14, 36.2]', async () => {
    const seen = await act(phone, ...fresh(dialogs))
    const { ref, center } = withId(seen, 'counter')
    const part = { text: 'pped 3' }
    const forms = [
      { ref, snapshot_id: seen.snapshot_id },
      { text: 'Tapped 1 times' },
      { text: 'tapped 2 TIMES', nth: 0 },
      part,
      { id: 'counter' },
      { id: `${dialogs}:id/counter` },
      point(center),
    ]
    const { results, completed, observation } = await run(phone, forms.map(tap), 'ui')
    expect(completed).toBe(forms.length)
    expect(results).toEqual(
      forms.map((form, index) => ({
        index,
        type: 'tap',
        ok: true,
        ms: expect.any(Number) as number,
        changed: expect.toBeOneOf([true, null]) as unknown,
        resolved: 'x' in form ? { center } : { center, ref },
        // The target named only a part of the text.
        ...(form === part ? { matched: 'Tapped 3 times' } : {}),
      })),
    )
    expect(observation?.text).toContain(`"Tapped ${forms.length} times"`)
    await act(phone, ...fresh(notes), tap({ desc: 'new NOTE' }), { type: 'back' })
  })

  it('tap twice, hold, and pinch [30.21, 31.15, 31.16]', async () => {
    await act(phone, ...fresh(gallery), tap({ text: 'Lake' }))
    const twice = await run(phone, [{ type: 'double_tap', target: { id: 'picture' } }], 'ui')
    if (!twice.observation) throw new Error('no screen')
    const { center, ref } = withId(twice.observation, 'picture')
    expect(twice.results[0]?.resolved).toEqual({ center, ref })
    expect(scaleOf(twice.observation)).toBe(2)
    const pinch = { type: 'pinch', target: { id: 'picture' }, scale: 0.5, duration_ms: 100 }
    if (fast) expect(scaleOf(await act(phone, pinch))).toBeLessThan(1.5)
    else
      expect(await failureOf(phone, pinch)).toMatchObject({
        code: 'feature_unavailable',
        details: { feature: 'multi_touch' },
      })
    const note = (await act(phone, ...fresh(notes))).elements.find(({ text }) => text?.startsWith('Shopping'))
    const held = await run(phone, [{ type: 'long_press', target: { text: 'Shopping' } }], 'ui')
    expect(held.results[0]?.resolved).toEqual({ center: note?.center, ref: note?.ref })
    expect(held.observation?.text).toContain('Delete note?')
    expect((await act(phone, tap({ text: 'Cancel' }))).text).toContain('Shopping')
  })

  it('swipe, drag, scroll, and scroll until an element appears [31.27, 31.29, 32.8]', async () => {
    const shade = await act(
      phone,
      { type: 'home' },
      { type: 'swipe', from: { x: 540, y: 4 }, to: { x: 540, y: 1700 } },
    )
    expect(shade.text).toContain('Bluetooth')
    await act(phone, { type: 'back' }, ...fresh(gallery))
    const film = await act(phone, { type: 'scroll_to', target: { text: 'Clouds' } }, tap({ text: 'Clouds' }))
    expect(film.text).toContain('"0:00 / 0:20"')
    // The bar between them has no text, so a dump does not list it.
    const [left, right] = [withId(film, 'play').bounds[2], withId(film, 'time').bounds[0]]
    const { y } = point(withId(film, 'time').center)
    const dragged = await act(phone, {
      type: 'drag',
      from: { x: left + 40, y },
      to: { x: right - 20, y },
      hold_ms: 100,
      duration_ms: 200,
    })
    expect(dragged.text).toMatch(/"0:(19|20) \/ 0:20"/)

    const top = await act(phone, ...fresh(contacts))
    const down = await run(phone, [{ type: 'scroll', direction: 'down' }], 'ui')
    expect(down.observation?.text).not.toBe(top.text)
    // A row is cut off at the bottom: the list continues.
    expect(down.results[0]).toMatchObject({ moved: true, at_end: false })
    const scrollUp = { type: 'scroll', direction: 'up', target: { id: 'list' }, amount: 1 }
    const up = await run(phone, [scrollUp, scrollUp], 'ui')
    expect(up.observation?.text).toBe(top.text)
    expect(up.results).toMatchObject([
      { moved: true, at_end: true },
      { moved: false, at_end: true },
    ])

    const found = await act(phone, ...fresh(settings), { type: 'scroll_to', target: { text: 'System' } })
    expect(found.text).toContain('"System')
    // The scroll continues from where `scroll_to` stopped, to the end of the list and beyond.
    const ends = await run(
      phone,
      Array.from({ length: 8 }, () => ({ type: 'scroll', direction: 'down' })),
    )
    expect(ends.results.map(({ ok }) => ok)).toEqual(Array.from({ length: 8 }, () => true))
    expect(ends.results.at(-1)).toMatchObject({ moved: false, at_end: true })
    const missing = await failureOf(phone, {
      type: 'scroll_to',
      target: { text: 'No such setting' },
      direction: 'up',
      max_scrolls: 1,
    })
    expect(missing).toMatchObject({
      code: 'target_not_found',
      details: { scrolls: 1, target: { text: 'No such setting' } },
    })
  })

  it('type, clear and press keys, and the field holds exactly that [31.17, 31.21, 31.24]', async () => {
    const text = fast ? ' Grüße, 世界 👩🏽‍🚀\nשלום\t$(id) %s `"\'\\' : ' two  words\n%s $(id) `"\'\\'
    const typed = await act(phone, ...newNote, { type: 'type', text })
    expect(withId(typed, 'body').text).toBe(text)
    const again = await act(phone, { type: 'type', text: 'anew', clear: true, target: { id: 'body' } })
    expect(withId(again, 'body').text).toBe('anew')
    const key = (name: string, ...modifiers: string[]) => ({ type: 'key', key: name, modifiers })
    const keys = [
      key('enter'),
      key('b'),
      key('b', 'shift'),
      key('move_home'),
      key('7'),
      key('move_end'),
      key('del'),
    ]
    expect(withId(await act(phone, ...keys), 'body').text).toBe('anew\n7b')
    const emptied = await act(phone, key('a', 'ctrl'), key('del'))
    expect(withId(emptied, 'body').text).toBe('Note')
    await act(phone, { type: 'type', text: 'x' }, { type: 'clear', target: { id: 'body' } })
    expect(withId(await look(phone), 'body').text).toBe('Note')

    const found = await act(phone, ...fresh(contacts), {
      type: 'type',
      target: { id: 'search_view' },
      text: 'zzzz',
      submit: true,
    })
    expect([found.keyboard.visible, found.text.includes('No contacts found')]).toEqual([false, true])
  })

  it('press each key of the table, once [31.23]', async () => {
    const before = (await phone.faults.counters()).keys
    const names = [...keyNames.filter((name) => name !== 'sleep' && name !== 'power'), 'sleep', 'wake']
    for (let at = 0; at < names.length; at += limits.actions.max) {
      const batch = names.slice(at, at + limits.actions.max).map((key) => ({ type: 'key', key }))
      expect((await run(phone, batch)).completed).toBe(batch.length)
    }
    // Input that the phone accepted reaches its apps a moment later.
    const pressed = async () => (await phone.faults.counters()).keys - before
    await expect.poll(pressed, { timeout: 150_000 }).toBe(names.length)
    expect((await phone.faults.state()).awake).toBe(true)
  })

  it('run one batch after the other, never mixed [30.5]', async () => {
    await act(phone, ...newNote)
    const ten = (key: string) =>
      run(
        phone,
        Array.from({ length: 10 }, () => ({ type: 'key', key })),
      )
    const batches = await Promise.all([ten('a'), ten('b')])
    expect(batches.map(({ completed }) => completed)).toEqual([10, 10])
    // The last keys may reach the app after the batch.
    const body = async () => withId(await look(phone), 'body').text
    await expect.poll(body, { timeout: 150_000 }).toHaveLength(20)
    expect(await body()).toMatch(/^(a{10}b{10}|b{10}a{10})$/)
  })

  it('continue after a locked screen, which they see', async () => {
    await act(phone, ...fresh(notes))
    await phone.faults.lockScreen()
    try {
      // The video shows the lock some time after it was drawn. Until then, the last elements are valid.
      const batch = await run(phone, [{ type: 'wait', ms: 1000 }, tap({ desc: 'New note' })])
      expect(batch.results[1]?.error?.code).toBe('target_not_found')
      expect(batch.observation?.app.package).toBe('com.android.systemui')
    } finally {
      await phone.faults.heal()
    }
    expect((await act(phone, tap({ desc: 'New note' }))).app.activity).toContain('Edit')
  })
}
