import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { launch, parseTree, press, tap, textOf } from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
import { chunks } from '../toolkit/chunks.js'
import { hierarchyXml } from '../toolkit/hierarchy.js'
import { layoutTree } from '../toolkit/layout.js'
import { LIGHT } from '../toolkit/theme.js'
import { column, label, row } from '../toolkit/widgets.js'
import { type PhoneWorld } from './world.js'

const NOTES = 'com.phonerack.notes'
const CONTACTS = 'com.android.contacts'

let world: PhoneWorld
beforeEach(() => {
  world = makeWorld({ now: () => new Date('2026-01-05T10:20:00Z') })
})
afterEach(() => {
  world.close()
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
    // 60 ms on an idle machine; 25 s when each letter places the whole text.
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
