import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { get, launch, press, tap, tapAt, textOf } from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
import { KEY, META } from './keys.js'
import { type PhoneWorld } from './world.js'

const NOTES = 'com.phonerack.notes'
const CONTACTS = 'com.android.contacts'
const DIALOGS = 'com.phonerack.dialogs'

let world: PhoneWorld
beforeEach(() => {
  world = makeWorld({ now: () => new Date('2026-01-05T10:20:00Z') })
})
afterEach(() => {
  world.close()
})

/** Taps a key of the on-screen keyboard, which the tree dump does not contain. */
function tapKey(description: string): void {
  const keyboard = world.windowsNow().layers.find((layer) => layer.name === 'keyboard')
  const search = (v: NonNullable<typeof keyboard>['root']): typeof v | undefined =>
    v.description === description ? v : v.children.map(search).find((found) => found !== undefined)
  const key = keyboard && search(keyboard.root)
  if (!key) throw new Error(`The keyboard has no key ${description}`)
  tapAt(world, (key.rect.left + key.rect.right) / 2, (key.rect.top + key.rect.bottom) / 2)
}

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

  it('hides the keyboard by back first, and releases its space', () => {
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

  it('refuses text without a focused field', () => {
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
})
