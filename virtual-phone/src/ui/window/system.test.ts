import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SystemChange } from '../../android/world.js'
import { center, drag, find, get, launch, tap, textOf } from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
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
  it('stand in the shade, open their app, and go by a swipe or all at once', () => {
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
})

describe('dialogs of the system', () => {
  it('says that an app has stopped, after it ended', () => {
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
  it('go both ways, and are told once', () => {
    const told: SystemChange[] = []
    world.onSystemChange((change) => told.push(change))
    world.applySetting('global', 'airplane_mode_on', '1')
    world.applySetting('system', 'font_scale', '1.3')
    world.applySetting('system', 'time_12_24', '24')
    expect(told).toEqual([])
    launch(world, 'com.android.settings')
    tap(world, 'Network & internet')
    tap(world, 'Airplane mode')
    expect(told).toEqual([{ table: 'global', name: 'airplane_mode_on', value: '0' }])
    world.expandNotifications()
    tap(world, 'Dark theme')
    expect(told.at(-1)).toEqual({ table: 'secure', name: 'ui_night_mode', value: '2' })
  })
})
