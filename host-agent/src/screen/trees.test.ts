/**
 * Screens modelled on those of real phones, with the elements that a person sees on
 * each: docs/trees.md.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dumpXml, type Draft } from '../testing/screen-xml.js'
import { buildTree, type ScreenTree } from './elements.js'
import { parseNodes } from './nodes.js'
import { treeFacts } from './trees/facts.js'

const folder = new URL('trees/', import.meta.url)
const read = (name: string, [width, height]: readonly [number, number]): ScreenTree =>
  buildTree(parseNodes(readFileSync(new URL(`${name}.xml`, folder))), { width, height })

/** The tap point for the element with these words, or for the element that absorbed their node. */
const tapFor = (tree: ScreenTree, words: string): (readonly number[])[] => {
  const found = tree.visible.filter((node) => node?.text === words || node?.desc === words)
  const centers = found.map((node) => node && tree.elementOf[node.index]?.center)
  return [...new Set(centers.map((center) => (center ? `${center.x},${center.y}` : 'nowhere')))].map(
    (place) => place.split(',').map(Number),
  )
}

describe('trees modelled on real phones', () => {
  it.each(treeFacts)('$name', ({ name, screen, elements, taps, notListed = [] }) => {
    const tree = read(name, screen)
    const said = tree.elements.map(({ type, text, desc }) => `${type} ${text ?? desc ?? ''}`.trimEnd())
    expect(said).toEqual(elements)
    for (const [words, center] of Object.entries(taps)) {
      expect(tapFor(tree, words), words).toContainEqual(center)
    }
    for (const words of notListed) expect(said.join('\n')).not.toContain(words)
  })

  it('have facts for every file, and name the source of the structure', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.xml'))
    expect(files.toSorted()).toEqual(treeFacts.map(({ name }) => `${name}.xml`).toSorted())
    for (const file of files) {
      const bytes = readFileSync(new URL(file, folder))
      const head = bytes.toString(bytes[0] === 0xff ? 'utf16le' : 'utf8').slice(0, 500)
      expect(head).toMatch(/structure of \S+\s+in github\.com\/[\w.+-]+\/[\w.+-]+ at [\da-f]{40}/)
    }
  })
})

describe('a screen of 1,500 nodes', () => {
  // Rows like those of the longest order page studied: picture, name, price, a counter
  // of three.
  const row = (index: number): Draft => {
    const top = 100 + index * 30
    return {
      flags: ['clickable'],
      bounds: [36, top, 1308, top + 30],
      children: [
        { class: 'android.widget.ImageView', bounds: [40, top, 80, top + 30] },
        { class: 'android.widget.TextView', text: `Dish ${index}`, bounds: [90, top, 600, top + 15] },
        { class: 'android.widget.TextView', text: `€ ${index}`, bounds: [90, top + 15, 600, top + 30] },
        {
          flags: ['clickable'],
          bounds: [1056, top, 1272, top + 30],
          children: [
            { flags: ['clickable'], desc: `Less of ${index}`, bounds: [1056, top, 1128, top + 30] },
            { text: String(index), bounds: [1128, top, 1200, top + 30] },
            { flags: ['clickable'], desc: `More of ${index}`, bounds: [1200, top, 1272, top + 30] },
          ],
        },
        { bounds: [36, top + 29, 1308, top + 30] },
      ],
    }
  }
  const rows = Array.from({ length: 166 }, (_, index) => row(index))
  const list: Draft = {
    class: 'androidx.recyclerview.widget.RecyclerView',
    flags: ['scrollable'],
    bounds: [0, 100, 1344, 5200],
    children: rows,
  }
  const shell = [0, 1, 2, 3, 4].reduce<Draft>(
    (inner) => ({ bounds: [0, 0, 1344, 5300], children: [inner] }),
    list,
  )

  it('lists four elements a row, and the list', () => {
    const parsed = parseNodes(dumpXml(shell))
    expect(parsed.nodes).toHaveLength(1500)
    const tree = buildTree(parsed, { width: 1344, height: 5300 })
    expect(tree.elements).toHaveLength(1 + 166 * 4)
    const texts = tree.elements.map(({ text, desc }) => text ?? desc)
    expect(texts.slice(0, 4)).toEqual(['Dish 0, € 0', 'Less of 0', '0', 'More of 0'])
    expect(tapFor(tree, 'More of 100')).toEqual([[1236, 3115]])
    expect(tapFor(tree, 'Dish 165')).toEqual([[672, 5065]])
  })
})
