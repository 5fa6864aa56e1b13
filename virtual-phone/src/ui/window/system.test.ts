import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type SystemChange } from '../../android/world.js'
import { center, drag, find, get, launch, tap, textOf } from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
import { HEADS_UP_MS } from './heads-up.js'
import { type PhoneWorld } from './world.js'

const NOTES = 'com.phonerack.notes'
let world: PhoneWorld
beforeEach(() => {
  world = makeWorld({ now: () => new Date('2026-01-05T10:20:00Z') })
})
afterEach(() => {
  world.close()
})

const notice = (id: string, title: string) => ({ package: NOTES, id, title, text: 'Two lines', whenMs: 0 })

describe('notifications', () => {
  it('are in the shade, open their app, and are removed by a swipe or all together', () => {
    for (const id of ['a', 'b', 'c']) world.notify(notice(id, `Title ${id}`))
    world.notify(notice('b', 'Title b again'))
    expect(world.notifications.map((n) => n.title)).toEqual(['Title b again', 'Title c', 'Title a'])
    world.expandNotifications()
    const { x, y } = center(get(world, 'Title c'))
    drag(world, { x, y }, { x: x + 600, y })
    expect(find(world, 'Title c')).toBeUndefined()
    tap(world, 'Title a')
    expect(world.focused.package).toBe(NOTES)
    world.expandNotifications()
    tap(world, 'Clear all')
    expect(world.notifications).toEqual([])
    expect(textOf(world, 'no_notifications')).toBe('No notifications')
  })

  it('scroll in the shade, which a swipe up closes only at their end', () => {
    for (let index = 0; index < 15; index++) world.notify(notice(`${index}`, `Title ${index}`))
    world.expandNotifications()
    expect(find(world, 'Title 0')).toBeUndefined()
    for (let count = 0; count < 4; count++) drag(world, { x: 540, y: 1680 }, { x: 540, y: 720 })
    expect(find(world, 'Title 0')).toBeDefined()
    drag(world, { x: 540, y: 1680 }, { x: 540, y: 720 })
    expect(find(world, 'Title 0')).toBeUndefined()
  })

  it('cannot be swiped away when an app keeps them', () => {
    world.notify({ ...notice('kept', 'Kept'), ongoing: true })
    world.expandNotifications()
    const { x, y } = center(get(world, 'Kept'))
    drag(world, { x, y }, { x: x + 600, y })
    tap(world, 'Clear all')
    expect(world.notifications.map(({ title }) => title)).toEqual(['Kept'])
  })
})

describe('a heads-up notification', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  /** The card's centre, from the accessibility windows; null without a card. */
  const card = (): { x: number; y: number } | null => {
    const shown = world.accessibilityWindows().find((window) => window.title === 'heads_up')
    if (!shown) return null
    expect(shown.active).toBe(false)
    const { left, top, right, bottom } = shown.bounds
    expect([left > 0, right < 1080, top > 0, bottom < 600]).toEqual([true, true, true, true])
    return { x: (left + right) / 2, y: (top + bottom) / 2 }
  }
  const middle = (): { x: number; y: number } => {
    const at = card()
    if (!at) throw new Error('No notification stands over the app')
    return at
  }

  it('covers the app for five seconds, and stays in the shade', () => {
    launch(world, 'com.android.settings')
    world.notify(notice('a', 'Hello'))
    expect(card()).not.toBeNull()
    expect(find(world, 'Hello')).toBeUndefined()
    expect(world.focused.package).toBe('com.android.settings')
    vi.advanceTimersByTime(HEADS_UP_MS - 1)
    expect(card()).not.toBeNull()
    vi.advanceTimersByTime(1)
    expect(card()).toBeNull()
    expect(world.notifications).toHaveLength(1)
  })

  it('opens its app by a tap, is removed by a sideways swipe, and hidden by an upward swipe', () => {
    world.notify(notice('a', 'Hello'))
    let { x, y } = middle()
    world.touch('down', 0, x, y)
    world.touch('up', 0, x, y)
    expect([world.focused.package, world.notifications.length, card()]).toEqual([NOTES, 0, null])
    world.notify(notice('b', 'Again'))
    ;({ x, y } = middle())
    drag(world, { x, y }, { x, y: y - 200 })
    expect([world.notifications.length, card()]).toEqual([1, null])
    world.notify(notice('c', 'And again'))
    ;({ x, y } = middle())
    drag(world, { x, y }, { x: x + 600, y })
    expect([world.notifications.map(({ id }) => id), card()]).toEqual([['b'], null])
  })

  it('is not shown over the lock, the shade or a sleeping screen, nor with Do Not Disturb', () => {
    world.setLocked(true)
    world.notify(notice('a', 'Hello'))
    world.setLocked(false)
    world.expandNotifications()
    world.notify(notice('b', 'Hello'))
    world.collapsePanels()
    world.sleep()
    world.notify(notice('c', 'Hello'))
    world.wake()
    expect(card()).toBeNull()
    world.expandNotifications()
    tap(world, 'Do Not Disturb, Off')
    world.collapsePanels()
    world.notify(notice('d', 'Hello'))
    expect([card(), world.notifications.length]).toEqual([null, 4])
  })
})

describe('the clock in the status bar', () => {
  it('wakes only the watchers when the minute changes', () => {
    vi.useFakeTimers({ now: new Date('2026-01-05T10:20:58Z') })
    const timed = makeWorld({ now: () => new Date() })
    try {
      let frames = 0
      const stop = timed.onChange(() => (frames += 1))
      vi.advanceTimersByTime(1999)
      expect(frames).toBe(0)
      vi.advanceTimersByTime(1)
      expect(frames).toBe(1)
      vi.advanceTimersByTime(120_000)
      expect(frames).toBe(3)
      stop()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      timed.close()
      vi.useRealTimers()
    }
  })
})

describe('dialogs of the system', () => {
  it('reports that an app has stopped, after the app ended', () => {
    launch(world, NOTES)
    world.showCrash(NOTES)
    expect(textOf(world, 'alertTitle')).toBe('Notes has stopped')
    expect(world.hierarchyXml()).toContain('package="android"')
    tap(world, 'Close app')
    expect(world.focused.package).toBe('com.android.launcher3')
    expect(find(world, 'alertTitle')).toBeUndefined()
  })

  it('waits for an app that does not respond, or closes it', () => {
    launch(world, NOTES)
    world.showNotResponding(NOTES)
    tap(world, 'Wait')
    expect(world.focused.package).toBe(NOTES)
    world.showNotResponding(NOTES)
    tap(world, 'Close app')
    expect(world.focused.package).toBe('com.android.launcher3')
  })
})

describe('the lock', () => {
  it('hides the apps until it is swiped up', () => {
    launch(world, NOTES)
    world.setLocked(true)
    expect(find(world, 'note_title')).toBeUndefined()
    expect(textOf(world, 'keyguard_indication_text')).toBe('Swipe up to open')
    world.commitText('lost')
    drag(world, { x: 540, y: 1800 }, { x: 540, y: 600 })
    expect(world.locked).toBe(false)
    expect(find(world, 'note_title')).toBeDefined()
  })
})

describe('settings', () => {
  it('convert both ways, and are reported once', () => {
    const changes: SystemChange[] = []
    world.onSystemChange((change) => changes.push(change))
    world.applySetting('global', 'airplane_mode_on', '1')
    world.applySetting('system', 'font_scale', '1.3')
    world.applySetting('system', 'time_12_24', '24')
    expect(changes).toEqual([])
    launch(world, 'com.android.settings')
    tap(world, 'Network & internet')
    tap(world, 'Airplane mode')
    expect(changes).toEqual([{ table: 'global', name: 'airplane_mode_on', value: '0' }])
    world.expandNotifications()
    tap(world, 'Dark theme')
    expect(changes.at(-1)).toEqual({ table: 'secure', name: 'ui_night_mode', value: '2' })
  })
})
