import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { center, find, launch, press, tap, tapAt, textOf, treeOf } from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
import { walk } from '../toolkit/view.js'

import { KEY } from './keys.js'
import { type PhoneWorld } from './world.js'

const NOTES = 'com.phonerack.notes'
const DIALOGS = 'com.phonerack.dialogs'
const SETTINGS = 'com.android.settings'

let world: PhoneWorld
beforeEach(() => {
  world = makeWorld({ now: () => new Date('2026-01-05T10:20:00Z') })
})
afterEach(() => {
  world.close()
})

describe('launching', () => {
  it('opens each app of the home screen by a tap, and returns with the home key', () => {
    for (const app of world.launchableApps().filter((entry) => entry.package !== 'com.android.launcher3')) {
      tap(world, app.label)
      expect(world.focused).toEqual({ package: app.package, activity: app.launcherActivity })
      press(world, KEY.home)
      expect(world.focused.package).toBe('com.android.launcher3')
    }
  })

  it('returns not_found for unknown activities, and delivered for the foreground activity', () => {
    const start = (className: string): string =>
      world.startActivity({ component: { package: SETTINGS, className }, categories: [], extras: {} }).kind
    expect(start('com.android.settings.Nope')).toBe('not_found')
    expect(start('com.android.settings.Settings')).toBe('started')
    expect(start('com.android.settings.Settings')).toBe('delivered')
    expect(
      world.startActivity({
        action: 'android.intent.action.VIEW',
        data: 'geo:1,2',
        categories: [],
        extras: {},
      }).kind,
    ).toBe('not_found')
  })

  it('shows a web address in the browser', () => {
    const data = 'https://example.com/a?b=1&c=2'
    world.startActivity({ action: 'android.intent.action.VIEW', data, categories: [], extras: {} })
    expect(world.focused.package).toBe('com.android.browser')
    expect(textOf(world, 'url_bar')).toBe(data)
  })

  it('lists recent apps, most recent first, and switches', () => {
    launch(world, NOTES)
    launch(world, DIALOGS)
    press(world, KEY.appSwitch)
    const titles = treeOf(world).filter((n) => n.attributes['resource-id']?.endsWith('task_title'))
    expect(titles.map((n) => n.attributes['text'])).toEqual(['Dialogs', 'Notes'])
    tap(world, 'Notes')
    expect(world.focused.package).toBe(NOTES)
  })

  it('shows installed apps on the home screen until they are gone', () => {
    const app = {
      package: 'a.b',
      label: 'My App',
      versionName: '2',
      versionCode: 2,
      system: false,
      launcherActivity: 'a.b.Main',
      uid: 10_300,
    }
    world.setInstalledApps([app])
    tap(world, 'My App')
    expect(world.focused).toEqual({ package: 'a.b', activity: 'a.b.Main' })
    world.setInstalledApps([])
    expect(world.focused.package).toBe('com.android.launcher3')
    expect(find(world, 'My App')).toBeUndefined()
  })
})

describe('system', () => {
  const writeNote = (): void => {
    launch(world, NOTES)
    tap(world, 'New note')
    tap(world, 'title')
    world.commitText('Kept')
    press(world, KEY.home)
  }

  it('keeps notes across a reboot, and deletes them by a wipe or by clearing the app', () => {
    writeNote()
    const saved: unknown = JSON.parse(JSON.stringify(world.exportState()))
    world.reboot(saved)
    expect(world.focused.package).toBe('com.android.launcher3')
    launch(world, NOTES)
    expect(find(world, 'Kept')).toBeDefined()
    world.clearData(NOTES)
    launch(world, NOTES)
    expect(find(world, 'Kept')).toBeUndefined()
    world.reboot(saved)
    world.reboot(null)
    launch(world, NOTES)
    expect(find(world, 'Kept')).toBeUndefined()
    expect(world.exportState()).toEqual(makeWorldState())
  })

  function makeWorldState(): unknown {
    const fresh = makeWorld()
    launch(fresh, NOTES)
    find(fresh, 'Notes')
    return fresh.exportState()
  }

  it('is black while it sleeps, ignores touches, and wakes to the same screen', async () => {
    launch(world, DIALOGS)
    const before = await world.screenshotRgba()
    world.sleep()
    const dark = await world.screenshotRgba()
    expect(dark.every((byte, i) => byte === (i % 4 === 3 ? 255 : 0))).toBe(true)
    tap(world, 'counter')
    press(world, KEY.wakeup)
    expect(world.awake).toBe(true)
    expect(textOf(world, 'counter')).toBe('Tapped 0 times')
    expect((await world.screenshotRgba()).equals(before)).toBe(true)
    press(world, KEY.power)
    expect(world.awake).toBe(false)
  })

  it('has a new layout after a rotation', () => {
    launch(world, SETTINGS)
    world.setRotation(1)
    expect(world.display).toMatchObject({ width: 2400, height: 1080, rotation: 1 })
    expect(treeOf(world)[0]?.bounds).toEqual({ left: 0, top: 0, right: 2400, bottom: 1080 })
    expect(world.hierarchyXml()).toContain('<hierarchy rotation="1">')
  })

  it('shows the settings in the status bar', () => {
    const status = (): string => {
      const layer = world.windowsNow().layers.find((candidate) => candidate.name === 'status')
      return layer ? [...walk(layer.root)].map((v) => v.text + v.description).join(' ') : ''
    }
    expect(status()).toContain('10:20')
    expect(status()).toContain('Wifi signal full.')
    world.setConfiguration({ timeZone: 'America/New_York' })
    expect(status()).toContain('5:20')
    world.expandNotifications()
    tap(world, 'Internet, On')
    tap(world, 'Airplane mode, Off')
    expect(status()).toContain('Airplane mode.')
    expect(status()).not.toContain('Wifi')
  })

  it('survives an unknown locale and time zone', () => {
    world.setConfiguration({ locale: 'de_DE', timeZone: 'Europe/Berlin' })
    expect(world.configuration).toMatchObject({ locale: 'de-DE', timeZone: 'Europe/Berlin' })
    world.setConfiguration({ locale: '%$', timeZone: 'Mars/Olympus' })
    expect(world.configuration).toMatchObject({ locale: 'en-US', timeZone: 'UTC' })
    expect(treeOf(world).length).toBeGreaterThan(3)
  })

  it('notifies listeners of changes, and shows locale and time zone', () => {
    let changes = 0
    const stop = world.onChange(() => changes++)
    world.setConfiguration({ locale: 'de-DE', timeZone: 'Asia/Tokyo' })
    expect(changes).toBe(1)
    stop()
    launch(world, SETTINGS)
    expect(changes).toBe(1)
    tap(world, 'Search settings')
    world.commitText('Time zone')
    const hits = treeOf(world).filter(
      (n) => n.attributes['text'] === 'Time zone' && n.attributes['class'] === 'android.widget.TextView',
    )
    const hit = hits[0]
    if (!hit) throw new Error('nothing found')
    tapAt(world, center(hit).x, center(hit).y)
    expect(find(world, 'Asia/Tokyo')).toBeDefined()
  })
})
