import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Point } from '../adb/device/device.js'
import { anyScreen } from '../testing/drafts.js'
import { dumpXml, pageSource, type Draft } from '../testing/screen-xml.js'
import { buildTree, type ScreenElement, type ScreenTree } from './elements.js'
import { freePoint } from './free-point.js'
import { contains, type Bounds } from './geometry.js'
import { parseNodes } from './nodes.js'
import { touchPointOf } from './touch-point.js'
import { treeFacts } from './trees/facts.js'

const screen = { width: 1080, height: 2400 }
const build = (xml: string): ScreenTree => buildTree(parseNodes(xml), screen)
const button = (desc: string, bounds: Bounds, more: Draft = {}): Draft => ({
  class: 'android.widget.Button',
  desc,
  bounds,
  flags: ['clickable'],
  ...more,
})
const named = (tree: ScreenTree, words: string): ScreenElement => {
  const element = tree.elements.find(({ text, desc }) => text === words || desc === words)
  if (!element) throw new Error(`${words} is not listed`)
  return element
}
const touchOf = (tree: ScreenTree, words: string) => touchPointOf(named(tree, words).node, tree)

/**
 * Every element whose touchable descendants together leave a point free: computed in a
 * different way than the code.
 */
function nestedIn(tree: ScreenTree, element: ScreenElement): Bounds[] {
  const isInside = (index: number): boolean => {
    const parent = tree.nodes[index]?.parent ?? -1
    return parent === element.node.index || (parent >= 0 && isInside(parent))
  }
  return tree.elements
    .filter(({ node }) => node.clickable && isInside(node.index))
    .map(({ bounds }) => bounds)
}

/** A free pixel can be moved left and up until it meets an edge, so only pixels at edges need to be checked. */
function someFreePixel(area: Bounds, covers: readonly Bounds[]): Point | undefined {
  const xs = [area[0], ...covers.map((cover) => cover[2])]
  const ys = [area[1], ...covers.map((cover) => cover[3])]
  return xs
    .flatMap((x) => ys.map((y) => ({ x, y })))
    .find((point) => contains(area, point) && !covers.some((cover) => contains(cover, point)))
}

function holdsFor(tree: ScreenTree): { moved: number } {
  let moved = 0
  for (const element of tree.elements) {
    const { point, covered } = touchPointOf(element.node, tree)
    expect(contains(element.bounds, point)).toBe(true)
    if (covered) {
      expect(point).toEqual(element.center)
      continue
    }
    const nested = nestedIn(tree, element)
    expect(nested.some((bounds) => contains(bounds, point))).toBe(false)
    if (point.x !== element.center.x || point.y !== element.center.y) moved += 1
  }
  return { moved }
}

describe('a touch', () => {
  it('goes to the centre when no other node takes it there [32.10]', () => {
    const tree = build(
      dumpXml(button('Card', [0, 0, 1000, 300], { children: [button('Menu', [900, 0, 1000, 100])] })),
    )
    expect(touchOf(tree, 'Card')).toEqual({ point: { x: 500, y: 150 }, covered: false })
  })

  it('on a barrier around a button, as Flutter writes it, misses the button: inside, outside, without an order', () => {
    const option = button('English', [200, 900, 880, 1500])
    const whole: Bounds = [0, 0, 1080, 2400]
    for (const tree of [
      build(dumpXml({ bounds: whole, children: [button('Dismiss', whole), option] })),
      build(dumpXml({ bounds: whole, children: [option, button('Dismiss', whole)] })),
      build(dumpXml(button('Dismiss', whole, { children: [option] }))),
    ]) {
      const { point, covered } = touchOf(tree, 'Dismiss')
      expect(covered).toBe(false)
      expect(contains(option.bounds as Bounds, point)).toBe(false)
      // The point is clear of the button's edge, and no further away than that.
      expect(Math.min(Math.abs(point.y - 900), Math.abs(point.x - 540) + 24)).toBe(24)
      expect(touchOf(tree, 'English')).toEqual({ point: { x: 540, y: 1200 }, covered: false })
    }
  })

  it('on a row around a rating chip goes beside the chip', () => {
    const chip = button('4.5 stars', [400, 120, 700, 180])
    const tree = build(dumpXml(button('Maps, 4.5', [0, 100, 1080, 200], { children: [chip] })))
    const { point } = touchOf(tree, 'Maps, 4.5')
    expect(contains([0, 100, 1080, 200], point) && !contains([400, 120, 700, 180], point)).toBe(true)
  })

  it('avoids nodes drawn over the element, not nodes under the element', () => {
    const at = (order: number, draft: Draft): Draft => ({
      ...draft,
      attributes: { 'drawing-order': String(order) },
    })
    const tree = build(
      dumpXml({
        bounds: [0, 0, 1080, 2400],
        children: [at(1, button('Low', [0, 0, 600, 600])), at(2, button('High', [200, 200, 800, 800]))],
      }),
    )
    expect(contains([200, 200, 800, 800], touchOf(tree, 'Low').point)).toBe(false)
    expect(touchOf(tree, 'High').point).toEqual({ x: 500, y: 500 })
  })

  it('avoids a dialog in front', () => {
    const dialog: Draft = {
      package: 'com.example.sheet',
      bounds: [0, 700, 1080, 1700],
      children: [button('OK', [0, 800, 500, 900])],
    }
    const page: Draft = { bounds: [0, 0, 1080, 2400], children: [button('Map', [0, 0, 1080, 2000])] }
    const { point, covered } = touchOf(build(pageSource(dialog, page)), 'Map')
    expect([point.y < 700, covered]).toEqual([true, false])
  })

  it('reports an element that is fully covered, and then goes to the centre [32.11]', () => {
    const keys = [0, 1, 2].map((row) => button(`key ${row}`, [0, row * 100, 300, row * 100 + 100]))
    const tree = build(dumpXml(button('Keys', [0, 0, 300, 300], { children: keys })))
    expect(touchOf(tree, 'Keys')).toEqual({ point: { x: 150, y: 150 }, covered: true })
    expect(touchOf(tree, 'key 1')).toEqual({ point: { x: 150, y: 150 }, covered: false })
  })

  it('ignores nodes that take only moves, and nodes that take nothing', () => {
    const list: Draft = { class: 'android.widget.ListView', flags: ['scrollable'], bounds: [0, 0, 900, 900] }
    const dot: Draft = { class: 'android.widget.RadioButton', flags: ['checkable'], bounds: [0, 0, 900, 900] }
    const tree = build(dumpXml(button('Pick', [0, 0, 900, 900], { children: [list, dot] })))
    expect(touchOf(tree, 'Pick')).toEqual({ point: { x: 450, y: 450 }, covered: false })
  })

  it('misses every nested button on the trees of real phones [32.9]', () => {
    let moved = 0
    for (const {
      name,
      screen: [width, height],
    } of treeFacts) {
      const xml = readFileSync(new URL(`trees/${name}.xml`, import.meta.url))
      moved += holdsFor(buildTree(parseNodes(xml), { width, height })).moved
    }
    expect(moved).toBeGreaterThan(0)
  })

  it('misses every nested button on any tree, in the window in front and behind', () => {
    fc.assert(
      fc.property(anyScreen, fc.boolean(), (drafts, asSource) => {
        holdsFor(build(asSource ? pageSource(...drafts) : dumpXml(...drafts)))
      }),
      { numRuns: 300 },
    )
  })
})

describe('free point', () => {
  const side = fc.integer({ min: 0, max: 60 })
  const rectangle = fc
    .tuple(side, side, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }))
    .map(([left, top, width, height]): Bounds => [left, top, left + width, top + height])

  it('is found exactly when a free point exists', () => {
    fc.assert(
      fc.property(rectangle, fc.array(rectangle, { maxLength: 12 }), (area, covers) => {
        const point = freePoint(area, covers)
        expect(point !== null).toBe(someFreePixel(area, covers) !== undefined)
        if (!point) return
        expect(contains(area, point)).toBe(true)
        expect(covers.some((cover) => contains(cover, point))).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  it('is not in a narrow gap between two covers when there is room elsewhere', () => {
    const point = freePoint(
      [0, 0, 1000, 1000],
      [
        [0, 300, 449, 700],
        [451, 300, 1000, 700],
      ],
    )
    expect(point && (point.y <= 300 - 24 || point.y >= 700 + 23)).toBe(true)
  })
})
