import { createCanvas } from '@napi-rs/canvas'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { find, get, launch, press, tap, textOf, treeOf } from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
import { KEY } from '../window/keys.js'
import { type PhoneWorld } from '../window/world.js'

const NOTES = 'com.phonerack.notes'
const CONTACTS = 'com.android.contacts'
const DIALOGS = 'com.phonerack.dialogs'
const SETTINGS = 'com.android.settings'

let world: PhoneWorld
beforeEach(() => {
  world = makeWorld({ now: () => new Date('2026-01-05T10:20:00Z') })
})
afterEach(() => {
  world.close()
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

  it('scrolls to the last of a thousand contacts, and searches in several scripts', () => {
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

  it('opens the locked note only with its password', () => {
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

  it('shows the results of the dialogs', () => {
    launch(world, DIALOGS)
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

describe('the icon of an installed app', () => {
  const entry = {
    package: 'org.example.icon',
    label: 'Icon',
    versionName: '1.0',
    versionCode: 1,
    system: false,
    launcherActivity: 'org.example.icon.Main',
    uid: 10_200,
  }
  /** The pixel in the middle of the app's icon on the home screen, above the app's name. */
  async function pixel(): Promise<number[]> {
    const { bounds } = get(world, 'Icon')
    const [x, y] = [Math.round((bounds.left + bounds.right) / 2), bounds.top - 95]
    const rgba = await world.screenshotRgba()
    return [...rgba.subarray((y * 1080 + x) * 4, (y * 1080 + x) * 4 + 3)]
  }
  const installed = (icon: Buffer): Promise<number[]> => {
    world.setInstalledApps([{ ...entry, icon: icon.toString('base64') }])
    return pixel()
  }

  it('is in the launcher; a damaged icon leaves its place empty', async () => {
    const canvas = createCanvas(96, 96)
    const ctx = canvas.getContext('2d')
    ctx.fillStyle = '#12c834'
    ctx.fillRect(0, 0, 96, 96)
    expect(await installed(canvas.toBuffer('image/png'))).toEqual([0x12, 0xc8, 0x34])
    const empty = await installed(Buffer.from('\x89PNG, and no more'))
    expect(empty).not.toEqual([0x12, 0xc8, 0x34])
  })

  it('of a test tool is not on the home screen', () => {
    world.setInstalledApps([
      {
        ...entry,
        label: 'Appium Settings',
        package: 'io.appium.settings',
        launcherActivity: 'io.appium.settings.Settings',
      },
      entry,
    ])
    expect(find(world, 'Icon')).toBeDefined()
    expect(find(world, 'Appium Settings')).toBeUndefined()
  })
})
