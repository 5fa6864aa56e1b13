/**
 * Screens that an app crafts so that reading them takes long. A host agent serves many phones, and reads one screen at a
 * time. The tests count the work, which must grow in proportion to the nodes.
 */
import { limits } from '@phonerack/shared'
import { describe, expect, it, vi } from 'vitest'
import { matchAll } from '../actions/target.js'
import { countIterated, countReads, countTests } from '../testing/count-reads.js'
import { buildTree, type ScreenTree } from './elements.js'
import { ScreenXmlError } from './errors.js'
import { findNodeTexts } from './node-texts.js'
import { parseNodes } from './nodes.js'
import { cutText } from './observation.js'
import { findSame } from './refs/same.js'
import { traceOf, type Trace } from './refs/trace.js'
import { coversOf } from './touch-point.js'
import { clip } from './visible.js'
import { parseXml } from './xml.js'

const screen = { width: 1080, height: 2400 }
const [depth, leaves] = [900, 1000]
const whole = 'bounds="[0,0][1080,2400]"'
const nested = (tag: string, inside: string, levels = depth): string =>
  `<node ${tag}>`.repeat(levels) + inside + '</node>'.repeat(levels)
const many = (tag: (index: number) => string, count = leaves): string =>
  Array.from({ length: count }, (_, index) => `<node ${tag(index)}/>`).join('')
const nodesOf = (xml: string) => parseNodes(`<hierarchy>${xml}</hierarchy>`)
const treeOf = (xml: string): ScreenTree => buildTree(nodesOf(xml), screen)

describe('the work for a crafted screen', () => {
  it('is in proportion to the nodes for texts that nested nodes repeat', () => {
    const { nodes } = nodesOf(
      nested(
        `text="A" ${whole}`,
        many((index) => `text="${index % 2}" ${whole}`),
      ),
    )
    const visible = countReads(clip(nodes, screen))
    const { repeatedBy } = findNodeTexts(
      nodes,
      visible.list,
      nodes.map(() => -1),
    )
    expect(visible.reads()).toBeLessThan(10 * nodes.length)
    expect(repeatedBy.get(0)).toBe(depth - 1)
  })

  it('is in proportion to the nodes for names without a place in nested nodes', () => {
    const { nodes } = nodesOf(
      nested(
        'bounds="[0,0][500,500]"',
        many(() => 'text="A" bounds="[0,0][0,0]"'),
      ),
    )
    expect(countTests(() => clip(nodes, screen))).toBeLessThan(20 * nodes.length)
  })

  it('is in proportion to the nodes for many states and texts in one button', () => {
    const inside = many((index) => `${index % 2 ? 'checkable="true"' : 'text="A"'} ${whole}`, 4000)
    const parsed = nodesOf(`<node clickable="true" bounds="[0,0][500,500]">${inside}</node>`)
    const entries = countIterated(() => buildTree(parsed, screen))
    expect(entries).toBeLessThan(100 * parsed.nodes.length)
  })

  it('is in proportion to the nodes for layers of one size', () => {
    const layers = many((index) => `clickable="true" drawing-order="${index + 1}" ${whole}`)
    const parsed = nodesOf(`<node ${whole}>${layers}</node>`)
    expect(countTests(() => buildTree(parsed, screen))).toBeLessThan(40 * parsed.nodes.length)
  })

  it('is in proportion to the nodes for a touch next to nodes of another branch', () => {
    const touchable = (index: number) => `clickable="true" bounds="[${index % 9},0][500,500]"`
    const tree = treeOf(nested(whole, many(touchable, 1)) + nested(whole, many(touchable)))
    const target = tree.visible[depth] ?? expect.unreachable()
    const nodes = countReads(tree.nodes)
    expect(coversOf(target, { ...tree, nodes: nodes.list }).length).toBeGreaterThan(0)
    expect(nodes.reads()).toBeLessThan(20 * tree.nodes.length)
  })

  it('is in proportion to the nodes for targets in nested buttons', () => {
    const [row, button] = ['clickable="true" bounds="[0,0][500,500]"', 'clickable="true" text="A"']
    const tree = treeOf(
      nested(
        row,
        many((index) => `${button} bounds="[0,${index}][500,${index + 1}]"`),
      ) +
        `<node ${row}>${many((index) => `long-clickable="true" text="A" bounds="[0,${index}][500,${index + 1}]"`, 4000)}</node>`,
    )
    const nodes = countReads(tree.nodes)
    const find = () => matchAll({ text: 'A' }, { ...tree, nodes: nodes.list })
    const entries = countIterated(() => expect(find()).toHaveLength(leaves + 1))
    expect(nodes.reads()).toBeLessThan(20 * tree.nodes.length)
    expect(entries).toBeLessThan(100 * tree.nodes.length)
  })

  it('is limited for a text that is sought in long names', () => {
    const tree = treeOf(many((index) => `text="${'OK '.repeat(300)}${index}" ${whole}`, 3000))
    const normalize = vi.spyOn(String.prototype, 'normalize')
    try {
      expect(matchAll({ text: 'ok o' }, tree).length).toBeGreaterThan(0)
      const lengths = normalize.mock.contexts.map((text) => String(text).length)
      expect(lengths.reduce((sum, each) => sum + each, 0)).toBeLessThan(2_100_000)
    } finally {
      normalize.mockRestore()
    }
  })

  it('is limited for 500 equal elements that moved', () => {
    let reads = 0
    const traces = (shift: (index: number) => number): Trace[] =>
      traceOf(
        treeOf(
          many((index) => {
            const [x, y] = [(index % 20) * 50 + shift(index), Math.floor(index / 20) * 50]
            return `clickable="true" class="android.view.View" bounds="[${x},${y}][${x + 20},${y + 20}]"`
          }, 500),
        ),
      ).map((trace) =>
        Object.defineProperty({ ...trace }, 'bounds', {
          get() {
            reads += 1
            return trace.bounds
          },
        }),
      )
    const [before, now] = [traces(() => 0), traces(() => 25)]
    const same = findSame(before, now, true)
    expect([same.length, same.filter(Boolean).length]).toEqual([500, 0])
    // Two bounds in each comparison, in three passes.
    expect(reads).toBeLessThan(3 * 2 * 55_000)
  })

  it('reads the first characters of a long text, where the rest is left out', () => {
    const from = vi.spyOn(Array, 'from')
    try {
      expect(cutText('🙂'.repeat(1_000_000))).toHaveLength(2 * limits.elements.text - 1)
      expect(from.mock.calls.every(([text]) => (text as string).length < 3000)).toBe(true)
    } finally {
      from.mockRestore()
    }
  })

  it('ends after 50,000 elements, with both readers', () => {
    const xml = `<hierarchy>${'<a/>'.repeat(50_000)}</hierarchy>`
    expect(() => parseNodes(xml)).toThrow(ScreenXmlError)
    const handler = { open: () => undefined, close: () => undefined }
    expect(() => parseXml(xml, handler)).toThrow(ScreenXmlError)
  })
})
