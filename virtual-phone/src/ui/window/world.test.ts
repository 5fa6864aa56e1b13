import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  center,
  drag,
  find,
  get,
  launch,
  parseTree,
  press,
  tap,
  tapAt,
  textOf,
  treeOf,
} from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
import { chunks } from '../toolkit/chunks.js'
import { hierarchyXml } from '../toolkit/hierarchy.js'
import { layoutTree } from '../toolkit/layout.js'
import { LIGHT } from '../toolkit/theme.js'
import { walk } from '../toolkit/view.js'
import { column, label, row } from '../toolkit/widgets.js'
import { KEY, META } from './keys.js'
import { LONG_PRESS_MS } from './touch.js'
import { type PhoneWorld } from './world.js'

const NOTES = 'com.phonerack.notes'
const CONTACTS = 'com.android.contacts'
const DIALOGS = 'com.phonerack.dialogs'
const GALLERY = 'com.phonerack.gallery'
const SETTINGS = 'com.android.settings'

let world: PhoneWorld
beforeEach(() => {
  world = makeWorld({ now: () => new Date('2026-01-05T10:20:00Z') })
})
afterEach(() => {
  world.close()
})

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Taps a key of the on-screen keyboard, which the tree dump does not show. */
function tapKey(description: string): void {
  const keyboard = world.windowsNow().layers.find((layer) => layer.name === 'keyboard')
  const search = (v: NonNullable<typeof keyboard>['root']): typeof v | undefined =>
    v.description === description ? v : v.children.map(search).find((found) => found !== undefined)
  const key = keyboard && search(keyboard.root)
  if (!key) throw new Error(`The keyboard has no key ${description}`)
  tapAt(world, (key.rect.left + key.rect.right) / 2, (key.rect.top + key.rect.bottom) / 2)
}

describe('launching', () => {
  it('opens each app of the home screen by a tap, and comes home by its key', () => {
    for (const app of world.launchableApps().filter((entry) => entry.package !== 'com.android.launcher3')) {
      tap(world, app.label)
      expect(world.focused).toEqual({ package: app.package, activity: app.launcherActivity })
      press(world, KEY.home)
      expect(world.focused.package).toBe('com.android.launcher3')
    }
  })

  it('tells not_found for what does not exist, and delivered for what is in front', () => {
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

describe('touch', () => {
  it('is a tap within the slop and no tap beyond it', () => {
    launch(world, DIALOGS)
    const { x, y } = center(get(world, 'counter'))
    drag(world, { x, y }, { x: x + 10, y: y + 10 }, 2)
    expect(textOf(world, 'counter')).toBe('Tapped 1 times')
    drag(world, { x, y }, { x: x + 60, y }, 3)
    expect(textOf(world, 'counter')).toBe('Tapped 1 times')
    world.touch('down', 0, x, y)
    world.touch('cancel', 0, x, y)
    expect(textOf(world, 'counter')).toBe('Tapped 1 times')
  })

  it('is a long press after its time, while the finger is still down', async () => {
    launch(world, DIALOGS)
    tap(world, 'counter')
    const { x, y } = center(get(world, 'counter'))
    world.touch('down', 0, x, y)
    await sleep(LONG_PRESS_MS + 60)
    expect(textOf(world, 'counter')).toBe('Tapped 0 times')
    world.touch('up', 0, x, y)
    expect(textOf(world, 'counter')).toBe('Tapped 0 times')
  })

  it('does nothing on what is disabled, nor lets it through', () => {
    launch(world, DIALOGS)
    const before = world.hierarchyXml()
    tap(world, 'disabled')
    expect(world.hierarchyXml()).toBe(before)
  })

  it('scrolls a list by exactly the way of the finger beyond the slop', () => {
    launch(world, CONTACTS)
    const second = treeOf(world).filter((n) => n.attributes['resource-id']?.endsWith('cliv_row'))[1]
    if (!second) throw new Error('no rows')
    drag(world, { x: 500, y: 1500 }, { x: 500, y: 1500 - 21 - 168 }, 7)
    const first = treeOf(world).find((n) => n.attributes['resource-id']?.endsWith('cliv_row'))
    expect(first?.bounds.top).toBe(second.bounds.top - 168)
  })

  it('zooms by two fingers and shows the scale', () => {
    launch(world, GALLERY)
    tap(world, 'Map')
    world.touch('down', 0, 440, 1200)
    world.touch('down', 1, 640, 1200)
    for (let i = 1; i <= 10; i++) {
      world.touch('move', 0, 440 - 10 * i, 1200)
      world.touch('move', 1, 640 + 10 * i, 1200)
    }
    world.touch('up', 0, 340, 1200)
    world.touch('up', 1, 740, 1200)
    expect(textOf(world, 'scale')).toBe('Scale 2.00×')
    const at = center(get(world, 'picture'))
    tapAt(world, at.x, at.y)
    tapAt(world, at.x, at.y)
    expect(textOf(world, 'scale')).toBe('Scale 1.00×')
  })

  it('pulls the shade down from the status bar, and back closes it', () => {
    drag(world, { x: 500, y: 10 }, { x: 500, y: 900 })
    expect(treeOf(world)[0]?.attributes['package']).toBe('com.android.systemui')
    tap(world, 'Dark theme, Off')
    expect(world.configuration.night).toBe(true)
    press(world, KEY.back)
    expect(treeOf(world)[0]?.attributes['package']).toBe('com.android.launcher3')
  })

  it('dismisses a dialog by a touch beside it, not by one on it', () => {
    launch(world, DIALOGS)
    tap(world, 'Show alert')
    const { x, y } = center(get(world, 'message'))
    tapAt(world, x, y)
    expect(find(world, 'message')).toBeDefined()
    tapAt(world, 540, 250)
    expect(find(world, 'message')).toBeUndefined()
    expect(textOf(world, 'result')).toBe('None yet')
  })
})

describe('typing', () => {
  it('types by the keyboard on the screen: letters, shift, symbols, delete, next', () => {
    launch(world, NOTES)
    tap(world, 'New note')
    tap(world, 'title')
    expect(world.inputMethod).toEqual({ shown: true, served: true, inputType: 1 })
    tapKey('Shift')
    tapKey('H')
    for (const key of ['i', 'Space', 'x', 'Delete', 'Symbols', '1', '!']) tapKey(key)
    expect(textOf(world, 'title')).toBe('Hi 1!')
    tapKey('Next')
    world.commitText('line')
    tapKey('Enter')
    tapKey('Letters')
    tapKey('z')
    expect(textOf(world, 'body')).toBe('line\nz')
  })

  it('types by key codes with shift, and edits by keys', () => {
    launch(world, NOTES)
    tap(world, 'New note')
    tap(world, 'body')
    press(world, KEY.a, META.shift)
    press(world, KEY.a)
    press(world, KEY.enter)
    world.commitText('日本語👋')
    expect(textOf(world, 'body')).toBe('Aa\n日本語👋')
    press(world, KEY.del)
    press(world, KEY.a, META.ctrl)
    press(world, KEY.c, META.ctrl)
    expect(world.clipboard).toBe('Aa\n日本語')
    press(world, KEY.moveEnd)
    world.paste()
    expect(textOf(world, 'body')).toBe('Aa\n日本語Aa\n日本語')
    press(world, KEY.a, META.ctrl)
    press(world, KEY.x, META.ctrl)
    expect(textOf(world, 'body')).toBe('Note')
  })

  it('puts the cursor where the finger taps', () => {
    launch(world, NOTES)
    tap(world, 'New note')
    tap(world, 'title')
    world.commitText('wide words')
    const { bounds } = get(world, 'title')
    tapAt(world, bounds.left + 5, (bounds.top + bounds.bottom) / 2)
    world.commitText('>')
    tapAt(world, bounds.right - 5, (bounds.top + bounds.bottom) / 2)
    world.commitText('<')
    expect(textOf(world, 'title')).toBe('>wide words<')
  })

  it('hides the keyboard by back first, and gives its room back', () => {
    launch(world, NOTES)
    tap(world, 'New note')
    tap(world, 'body')
    const small = get(world, 'body').bounds.bottom
    press(world, KEY.back)
    expect(world.inputMethod).toMatchObject({ shown: false, served: true })
    expect(get(world, 'body').bounds.bottom).toBeGreaterThan(small)
    expect(world.focused.activity).toContain('EditActivity')
    press(world, KEY.back)
    expect(world.focused.activity).toContain('MainActivity')
  })

  it('scrolls a focused field above the keyboard', () => {
    world.setRotation(1)
    launch(world, CONTACTS)
    tap(world, 'Create contact')
    tap(world, 'name_field')
    press(world, KEY.enter)
    press(world, KEY.enter)
    world.commitText('me@example.com')
    const { bounds } = get(world, 'email_field')
    expect(bounds.bottom - bounds.top).toBeGreaterThan(100)
    const keyboard = world.windowsNow().layers.find((layer) => layer.name === 'keyboard')
    expect(bounds.bottom).toBeLessThanOrEqual(keyboard?.root.rect.top ?? 0)
  })

  it('takes no text without a focused field', () => {
    expect(world.commitText('x')).toBe(false)
    launch(world, NOTES)
    expect(world.commitText('x')).toBe(false)
  })

  it('moves the focus by tab and clicks by enter', () => {
    launch(world, DIALOGS)
    for (let i = 0; i < 20 && get(world, 'counter').attributes['focused'] !== 'true'; i++)
      press(world, KEY.tab)
    press(world, KEY.enter)
    expect(textOf(world, 'counter')).toBe('Tapped 1 times')
  })

  it('types in a dialog with its keyboard, and submits by the action key', () => {
    launch(world, DIALOGS)
    tap(world, 'Ask for text')
    tap(world, 'edit')
    world.commitText('Ada')
    tapKey('Done')
    expect(textOf(world, 'result')).toBe('Hello, Ada')
  })
})

describe('apps', () => {
  it('keeps the settings switches, and finds entries by search', () => {
    launch(world, SETTINGS)
    tap(world, 'Search settings')
    world.commitText('airpl')
    tap(world, 'Airplane mode')
    expect(world.focused.activity).toContain('SubSettings')
    const state = (): string | undefined => {
      const row = get(world, 'Airplane mode').parent?.parent
      return treeOf(world).find(
        (n) => n.attributes['class'] === 'android.widget.Switch' && n.bounds.top >= (row?.bounds.top ?? 0),
      )?.attributes['checked']
    }
    expect(state()).toBe('false')
    tap(world, 'Airplane mode')
    expect(state()).toBe('true')
    world.reboot(JSON.parse(JSON.stringify(world.exportState())))
    launch(world, SETTINGS)
    tap(world, 'Network & internet')
    expect(state()).toBe('true')
  })

  it('draws larger text at a larger font size', () => {
    launch(world, SETTINGS)
    tap(world, 'Display')
    const heightOf = (): number => {
      const { bounds } = get(world, 'Font size')
      return bounds.bottom - bounds.top
    }
    const before = heightOf()
    tap(world, 'Font size')
    tap(world, 'Largest')
    expect(world.configuration.fontScale).toBe(1.3)
    expect(heightOf()).toBeGreaterThan(before)
  })

  it('reaches the last of a thousand contacts, and searches in their scripts', () => {
    launch(world, CONTACTS)
    const rows = (): string[] =>
      treeOf(world).flatMap((n) =>
        n.attributes['resource-id']?.endsWith('cliv_name_textview') ? [n.attributes['text'] ?? ''] : [],
      )
    const seen = new Set(rows())
    for (let i = 0; i < 200; i++) {
      press(world, KEY.pageDown)
      for (const name of rows()) seen.add(name)
    }
    expect(seen.size).toBe(1000)
    tap(world, 'search_view')
    world.commitText('Иванова')
    expect(rows().length).toBeGreaterThan(0)
    expect(rows().every((name) => name.includes('Иванова'))).toBe(true)
  })

  it('adds a contact by its form', () => {
    launch(world, CONTACTS)
    tap(world, 'Create contact')
    tap(world, 'Save')
    expect(textOf(world, 'error')).toBe('Enter a name')
    tap(world, 'name_field')
    world.commitText('Zo Test')
    press(world, KEY.enter)
    expect(world.inputMethod.inputType).toBe(3)
    world.commitText('12345')
    tap(world, 'Save')
    expect(textOf(world, 'large_title')).toBe('Zo Test')
    press(world, KEY.back)
    tap(world, 'search_view')
    world.commitText('zo te')
    expect(find(world, 'Zo Test')).toBeDefined()
  })

  it('opens the locked note by its password only', () => {
    launch(world, NOTES)
    tap(world, 'Private')
    tap(world, 'password')
    world.commitText('s3cret')
    expect(textOf(world, 'password')).toBe('••••••')
    tap(world, 'unlock')
    expect(world.focused.activity).toContain('EditActivity')
    press(world, KEY.back)
    tap(world, 'Private')
    tap(world, 'password')
    world.commitText('wrong')
    tap(world, 'unlock')
    expect(textOf(world, 'error')).toBe('Wrong password')
  })

  it('shows what the dialogs gave', () => {
    launch(world, DIALOGS)
    tap(world, 'Choose from a list')
    tap(world, 'Blue')
    expect(textOf(world, 'result')).toBe('Chose Blue')
    tap(world, 'Choose several')
    tap(world, 'Cheese')
    tap(world, 'Olives')
    tap(world, 'OK')
    expect(textOf(world, 'result')).toBe('Toppings: Cheese, Olives')
    tap(world, 'Show alert')
    tap(world, 'Cancel')
    expect(textOf(world, 'result')).toBe('Cancelled')
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

  it('keeps notes over a reboot, and forgets them by a wipe or by clearing the app', () => {
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

  it('is black while it sleeps, takes no touch, and wakes to the same screen', async () => {
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

  it('lays out anew when it is turned', () => {
    launch(world, SETTINGS)
    world.setRotation(1)
    expect(world.display).toMatchObject({ width: 2400, height: 1080, rotation: 1 })
    expect(treeOf(world)[0]?.bounds).toEqual({ left: 0, top: 0, right: 2400, bottom: 1080 })
    expect(world.hierarchyXml()).toContain('<hierarchy rotation="1">')
  })

  it('shows in the status bar what the settings say', () => {
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

  it('survives a locale and a time zone that nobody knows', () => {
    world.setConfiguration({ locale: 'de_DE', timeZone: 'Europe/Berlin' })
    expect(world.configuration).toMatchObject({ locale: 'de-DE', timeZone: 'Europe/Berlin' })
    world.setConfiguration({ locale: '%$', timeZone: 'Mars/Olympus' })
    expect(world.configuration).toMatchObject({ locale: 'en-US', timeZone: 'UTC' })
    expect(treeOf(world).length).toBeGreaterThan(3)
  })

  it('tells listeners of changes, and shows locale and time zone', () => {
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

describe('cost', () => {
  // Processor time of the best of some runs: what it costs, not how busy the machine is.
  async function best(run: () => unknown): Promise<number> {
    let least = Infinity
    for (let i = 0; i < 15; i++) {
      const start = process.cpuUsage()
      await run()
      const used = process.cpuUsage(start)
      least = Math.min(least, (used.user + used.system) / 1000)
    }
    return least
  }

  it('lays out and dumps 300 nodes in under 5 ms', async () => {
    let xml = ''
    const millis = await best(() => {
      const cells = Array.from({ length: 270 }, (_, i) =>
        label(LIGHT, `Cell ${i}`, { weight: 1, look: { size: 10 } }),
      )
      const root = column(
        { height: 'fill' },
        chunks(cells, 9).map((line) => row({ width: 'fill' }, line)),
      )
      layoutTree(root, { left: 0, top: 0, right: 1080, bottom: 2400 }, { density: 2.625, fontScale: 1 })
      xml = hierarchyXml(root, 'a', 0)
    })
    expect(parseTree(xml).length).toBe(301)
    expect(millis).toBeLessThan(5)
  })

  it('draws a scrolled list of contacts as PNG in under 120 ms', async () => {
    launch(world, CONTACTS)
    const millis = await best(() => {
      world.scroll(540, 1200, 0, -1)
      return world.screenshotPng()
    })
    expect(millis).toBeLessThan(120)
  })

  it('keeps no timer while it is idle', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    launch(world, NOTES)
    tap(world, 'New note')
    tap(world, 'body')
    world.hierarchyXml()
    expect(timers()).toBe(before)
  })
})
