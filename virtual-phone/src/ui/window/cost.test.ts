import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { launch, press, tap, textOf } from '../../testing/ui-tree.js'
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

describe('cost', () => {
  it.each(['body', 'title'])('types 3000 letters into the %s one by one in linear time', (field) => {
    launch(world, NOTES)
    tap(world, 'New note')
    tap(world, field)
    const text = Array.from({ length: 3000 }, (_, i) => (i % 7 === 6 ? ' ' : 'abcdefgh'.charAt((i * 31) % 8)))
    const start = process.cpuUsage()
    for (const letter of text) world.commitText(letter)
    expect(textOf(world, field)).toBe(text.join(''))
    for (const key of [67, 67, 67]) {
      press(world, key)
      world.hierarchyXml()
    }
    const used = process.cpuUsage(start)
    expect(textOf(world, field)).toBe(text.slice(0, -3).join(''))
    // This takes 60 ms on an idle machine, and 25 s when each letter places the whole text.
    expect((used.user + used.system) / 1000).toBeLessThan(1500)
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
