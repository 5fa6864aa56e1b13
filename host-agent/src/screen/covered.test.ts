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

describe('what is covered', () => {
  it('is not listed under a sheet that is drawn over it, wherever it stands in the document', () => {
    const under = at(1, page(button('Behind', 300)))
    const over = at(2, page(scrim, at(2, button('Front', 1800))))
    for (const xml of [dumpXml(page(under, over)), dumpXml(page(over, under))]) {
      expect(wordsOf(xml)).toContain('Front')
      expect(wordsOf(xml)).not.toContain('Behind')
    }
  })

  it('stays listed when the phone does not say what is drawn over what', () => {
    expect(wordsOf(dumpXml(page(page(button('Behind', 300)), scrim)))).toContain('Behind')
    const same = dumpXml(page(at(3, page(button('Behind', 300))), at(3, scrim)))
    expect(wordsOf(same)).toContain('Behind')
  })

  it('stays listed when a part of it can be touched', () => {
    const play = button('Play', 320, { bounds: [200, 320, 300, 380] })
    const xml = dumpXml(page(at(1, button('Card', 300)), at(2, play)))
    expect(wordsOf(xml)).toEqual(['Play', 'Card'])
  })

  it('stays listed when it can only be read: a layer that takes touches may be glass', () => {
    const label = { class: 'android.widget.TextView', text: 'Tip', bounds: [0, 0, 500, 90] } satisfies Draft
    expect(wordsOf(dumpXml(page(at(1, label), at(2, scrim))))).toContain('Tip')
  })

  it('stays listed under a wordless layer of its own size', () => {
    const layer: Draft = { flags: ['clickable'], bounds: [100, 300, 500, 400] }
    expect(wordsOf(dumpXml(page(at(1, button('Pay', 300)), at(2, layer))))).toContain('Pay')
  })

  it('is never a parent under its own children', () => {
    const row = button('', 300, { children: [at(1, button('Inner', 300))] })
    expect(wordsOf(dumpXml(page(at(1, row))))).toEqual(expect.arrayContaining([null, 'Inner']))
  })

  it('is what stands under a keyboard or a dialog of its own window, texts too', () => {
    const keyboard: Draft = {
      package: 'com.example.inputmethod',
      bounds: [0, 1500, 1080, 2400],
      children: [button('Q', 1600)],
    }
    const app = page(button('Above', 300), button('Under', 1700), {
      class: 'android.widget.TextView',
      text: 'Under too',
      bounds: [0, 2000, 500, 2100],
    })
    // The UI server gives the front window first.
    expect(wordsOf(pageSource(keyboard, app))).toEqual(['Above', 'Q'])
    expect(wordsOf(pageSource(app, keyboard))).toEqual(
      expect.arrayContaining(['Above', 'Under', 'Under too']),
    )
    expect(wordsOf(dumpXml(keyboard, app))).toEqual(
      expect.arrayContaining(['Above', 'Under', 'Under too', 'Q']),
    )
  })

  it('is what stands under a keyboard whose keys were taken out of the tree', () => {
    const keyboard: Draft = { package: 'com.example.inputmethod', bounds: [0, 1500, 1080, 2400] }
    const xml = pageSource(keyboard, page(button('Above', 300), button('Under', 1700)))
    expect(wordsOf(xml)).toEqual(['Above'])
  })

  it('is nothing under a window without anything to press, like a passing message', () => {
    const toast: Draft = { text: 'Saved', bounds: [0, 1500, 1080, 2400] }
    expect(wordsOf(pageSource(toast, page(button('Under', 1700))))).toContain('Under')
  })

  it('takes little time however many layers there are', () => {
    const layers = Array.from({ length: 3000 }, (_, index) =>
      at(index + 1, { flags: ['clickable'], bounds: [0, 0, 1080, 2400 - (index % 7)] }),
    )
    const tree = buildTree(parseNodes(dumpXml(page(...layers))), screen)
    expect(tree.elements.length).toBeGreaterThan(0)
  })
})
