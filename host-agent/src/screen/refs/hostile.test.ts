/** Refs on screens that a hostile app makes, or that belong to another app than the window in front. */
import { describe, expect, it } from 'vitest'
import { dumpXml, type Draft } from '../../testing/screen-xml.js'
import { buildTree, type ScreenTree } from '../elements.js'
import { parseNodes } from '../nodes.js'
import { Refs } from './refs.js'
import { traceOf } from './trace.js'

const screen = { width: 1080, height: 2400 }
const bank = { package: 'com.example.bank', activity: '.Main', systemDialog: false }

function shown(refs: Refs, xml: string, state = bank): ScreenTree {
  const tree = buildTree(parseNodes(xml), screen)
  refs.number(tree, state)
  refs.shown(tree)
  return tree
}
const refsOf = ({ elements }: ScreenTree): number[] => elements.map(({ ref }) => ref)

const dialogOf = (app: string): Draft => ({
  package: app,
  bounds: [0, 0, 1080, 2400],
  children: [
    {
      package: app,
      class: 'android.widget.Button',
      text: 'OK',
      flags: ['clickable'],
      bounds: [400, 1200, 600, 1300],
    },
  ],
})

describe('refs', () => {
  it('are new for an equal element of another app, even when the phone reports the same window', () => {
    const refs = new Refs()
    const [before] = refsOf(shown(refs, dumpXml(dialogOf('com.example.bank'))))
    const [after] = refsOf(shown(refs, dumpXml(dialogOf('com.example.game'))))
    expect(after).not.toBe(before)
  })

  it('have another window after they start again, so that no older snapshot names them', () => {
    const xml = dumpXml(dialogOf('com.example.bank'))
    const [before, after] = [shown(new Refs(), xml), shown(new Refs(), xml)]
    expect(refsOf(after)).toEqual(refsOf(before))
    expect(after.window).not.toBe(before.window)
  })

  it('of 20,000 elements in 990 lists cost time and memory in proportion to the nodes', () => {
    const list = `<node class="androidx.recyclerview.widget.RecyclerView" scrollable="true" bounds="[0,0][1080,2400]">`
    const text = 'x'.repeat(200)
    const leaves = Array.from({ length: 19_000 }, (_, index) => {
      const [x, y] = [(index % 30) * 36, Math.floor(index / 30) * 3]
      return `<node class="android.widget.TextView" text="${text}" bounds="[${x},${y}][${x + 36},${y + 3}]" />`
    })
    const xml = `<hierarchy>${list.repeat(990)}${leaves.join('')}${'</node>'.repeat(990)}</hierarchy>`
    const traces = traceOf(shown(new Refs(), xml))
    expect(traces.length).toBe(500)
    expect(Math.max(...traces.map(({ around }) => around.length))).toBe(150)
    expect(Math.max(...traces.map(({ scrollers }) => scrollers.length))).toBe(8)
  })
})
