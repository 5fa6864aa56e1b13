import { describe, expect, it } from 'vitest'
import { dumpXml, pageSource, type Draft } from '../testing/screen-xml.js'
import { buildTree } from './elements.js'
import { parseNodes } from './nodes.js'

const screen = { width: 1080, height: 2400 }
const wordsOf = (xml: string): (string | null)[] =>
  buildTree(parseNodes(xml), screen).elements.map(({ text, desc }) => text ?? desc)

const at = (order: number, draft: Draft): Draft => ({
  ...draft,
  attributes: { ...draft.attributes, 'drawing-order': String(order) },
})
const button = (text: string, top: number, more: Draft = {}): Draft => ({
  class: 'android.widget.Button',
  text,
  flags: ['clickable'],
  bounds: [100, top, 500, top + 100],
  ...more,
})
const page = (...children: Draft[]): Draft => ({ bounds: [0, 0, 1080, 2400], children })
const scrim: Draft = { flags: ['clickable'], desc: 'Close', bounds: [0, 0, 1080, 2400] }

describe('covered nodes', () => {
  it('are not listed under a sheet that is drawn over them, at any position in the document', () => {
    const under = at(1, page(button('Behind', 300)))
    const over = at(2, page(scrim, at(2, button('Front', 1800))))
    for (const xml of [dumpXml(page(under, over)), dumpXml(page(over, under))]) {
      expect(wordsOf(xml)).toContain('Front')
      expect(wordsOf(xml)).not.toContain('Behind')
    }
  })

  it('stay listed when the phone does not report the drawing order', () => {
    expect(wordsOf(dumpXml(page(page(button('Behind', 300)), scrim)))).toContain('Behind')
    const same = dumpXml(page(at(3, page(button('Behind', 300))), at(3, scrim)))
    expect(wordsOf(same)).toContain('Behind')
  })

  it('stay listed when a part of them can be touched', () => {
    const play = button('Play', 320, { bounds: [200, 320, 300, 380] })
    const xml = dumpXml(page(at(1, button('Card', 300)), at(2, play)))
    expect(wordsOf(xml)).toEqual(['Play', 'Card'])
  })

  it('stay listed when they are read-only: a layer that takes touches may be transparent', () => {
    const label = { class: 'android.widget.TextView', text: 'Tip', bounds: [0, 0, 500, 90] } satisfies Draft
    expect(wordsOf(dumpXml(page(at(1, label), at(2, scrim))))).toContain('Tip')
  })

  it('stay listed under a wordless layer of their own size', () => {
    const layer: Draft = { flags: ['clickable'], bounds: [100, 300, 500, 400] }
    expect(wordsOf(dumpXml(page(at(1, button('Pay', 300)), at(2, layer))))).toContain('Pay')
  })

  it('are never parents under their own children', () => {
    const row = button('', 300, { children: [at(1, button('Inner', 300))] })
    expect(wordsOf(dumpXml(page(at(1, row))))).toEqual(expect.arrayContaining([null, 'Inner']))
  })

  it('include texts under a keyboard or a dialog in a separate window', () => {
    const keyboard: Draft = {
      package: 'com.example.inputmethod',
      bounds: [0, 1500, 1080, 2400],
      children: [
        button('Q', 1500, { bounds: [0, 1500, 1080, 1600] }),
        button('Space', 2300, { bounds: [0, 2300, 1080, 2400] }),
      ],
    }
    const app = page(button('Above', 300), button('Under', 1700), {
      class: 'android.widget.TextView',
      text: 'Under too',
      bounds: [0, 2000, 500, 2100],
    })
    // A keyboard is in front of every app, even as the last window (Avito, openatx/uiautomator2).
    for (const xml of [pageSource(keyboard, app), pageSource(app, keyboard), dumpXml(app, keyboard)])
      expect(wordsOf(xml)).toEqual(['Above'])
    // The UI server lists the front window first.
    const dialog = { ...keyboard, package: 'com.example.app' }
    expect(wordsOf(pageSource(dialog, app))).toEqual(['Above', 'Q', 'Space'])
    expect(wordsOf(dumpXml(dialog, app))).toEqual(expect.arrayContaining(['Under', 'Under too']))
  })

  it('include nodes under a keyboard whose keys were removed from the tree', () => {
    const keyboard: Draft = { package: 'com.example.inputmethod', bounds: [0, 1500, 1080, 2400] }
    const xml = pageSource(keyboard, page(button('Above', 300), button('Under', 1700)))
    expect(wordsOf(xml)).toEqual(['Above'])
  })

  it('exclude nodes under a window without anything to press, like a toast', () => {
    const toast: Draft = { text: 'Saved', bounds: [0, 1500, 1080, 2400] }
    expect(wordsOf(pageSource(toast, page(button('Under', 1700))))).toContain('Under')
  })

  it('are found quickly with any number of layers', () => {
    const layers = Array.from({ length: 3000 }, (_, index) =>
      at(index + 1, { flags: ['clickable'], bounds: [0, 0, 1080, 2400 - (index % 7)] }),
    )
    const tree = buildTree(parseNodes(dumpXml(page(...layers))), screen)
    expect(tree.elements.length).toBeGreaterThan(0)
  })
})
