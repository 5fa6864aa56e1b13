import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { center, drag, find, get, launch, press, tap, tapAt, textOf, treeOf } from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
import { KEY } from './keys.js'
import { LONG_PRESS_MS } from './touch.js'
import { type PhoneWorld } from './world.js'

const CONTACTS = 'com.android.contacts'
const DIALOGS = 'com.phonerack.dialogs'
const GALLERY = 'com.phonerack.gallery'

let world: PhoneWorld
beforeEach(() => {
  world = makeWorld({ now: () => new Date('2026-01-05T10:20:00Z') })
})
afterEach(() => {
  world.close()
})

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('touch', () => {
  it('is a tap within the slop, and not a tap beyond the slop', () => {
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

  it('starts a new gesture when a finger that was never lifted comes down again', () => {
    launch(world, DIALOGS)
    const { x, y } = center(get(world, 'counter'))
    world.touch('down', 0, x, y + 900)
    tap(world, 'counter')
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

  it('has no effect on a disabled view, and does not pass through it', () => {
    launch(world, DIALOGS)
    const before = world.hierarchyXml()
    tap(world, 'disabled')
    expect(world.hierarchyXml()).toBe(before)
  })

  it('scrolls a list by exactly the finger’s distance beyond the slop', () => {
    launch(world, CONTACTS)
    const second = treeOf(world).filter((n) => n.attributes['resource-id']?.endsWith('cliv_row'))[1]
    if (!second) throw new Error('no rows')
    drag(world, { x: 500, y: 1500 }, { x: 500, y: 1500 - 21 - 168 }, 7)
    const first = treeOf(world).find((n) => n.attributes['resource-id']?.endsWith('cliv_row'))
    expect(first?.bounds.top).toBe(second.bounds.top - 168)
  })

  it('zooms by two fingers and shows the scale', () => {
    launch(world, GALLERY)
    tap(world, 'Lake')
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

  it('dismisses a dialog only by a touch outside it', () => {
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
