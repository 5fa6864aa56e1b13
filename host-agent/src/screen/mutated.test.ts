/** For any XML from a phone, the result is elements or our own error, within bounded time. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildTree } from './elements.js'
import { ScreenXmlError } from './errors.js'
import { parseNodes } from './nodes.js'
import { treeFacts } from './trees/facts.js'

const trees = treeFacts.map(({ name, screen: [width, height] }) => ({
  bytes: readFileSync(new URL(`trees/${name}.xml`, import.meta.url)),
  screen: { width, height },
}))
const anyTree = fc.constantFrom(...trees)
type Tree = (typeof trees)[number]

/** Returns consistent elements or the named error; anything else fails the test. */
function survive(source: string | Uint8Array, screen: Tree['screen']): 'elements' | 'refused' {
  try {
    const tree = buildTree(parseNodes(source), screen)
    for (const { bounds, center } of tree.elements) {
      expect([...bounds, center.x, center.y].every(Number.isSafeInteger)).toBe(true)
      expect(bounds[0] >= 0 && bounds[1] >= 0 && bounds[2] <= screen.width).toBe(true)
    }
    return 'elements'
  } catch (error) {
    expect(error).toBeInstanceOf(ScreenXmlError)
    return 'refused'
  }
}

const runs = { numRuns: 120 }
const textOf = ({ bytes }: Tree): string => bytes.toString(bytes[0] === 0xff ? 'utf16le' : 'utf8')

describe('mutated trees', () => {
  it('with flipped bytes', () => {
    const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(anyTree, flips, ({ bytes, screen }, changes) => {
        const changed = Uint8Array.from(bytes)
        for (const [at, bits] of changes) {
          const place = at % changed.length
          changed[place] = (changed[place] ?? 0) ^ bits
        }
        survive(changed, screen)
      }),
      runs,
    )
  })

  it('cut short, and with tags removed', () => {
    fc.assert(
      fc.property(anyTree, fc.nat(), fc.nat(), (tree, end, which) => {
        const xml = textOf(tree)
        survive(tree.bytes.subarray(0, end % tree.bytes.length), tree.screen)
        const tags = [...xml.matchAll(/<[^>]*>/g)]
        const { index, 0: tag } = tags[which % tags.length] ?? { index: 0, 0: '' }
        survive(xml.slice(0, index) + xml.slice(index + tag.length), tree.screen)
      }),
      runs,
    )
  })

  const hostile = fc.constantFrom(
    '[NaN,NaN][NaN,NaN]',
    '[0,0][99999999999999999999,1]',
    '[1e9,0][2e9,5]',
    '[-2147483648,-2147483648][2147483647,2147483647]',
    '[Infinity,0][1,1]',
    '[0,0]',
    '-1',
    '\u0000',
    '\ud800',
    '\udc00x\ud83d',
    '&#0;',
    '&#xD800;',
    '&#99999999999;',
    '&boom;',
    ']]>',
    '\u{10ffff}',
    '\ufffe',
    'x'.repeat(5000),
  )

  it('with other attribute values: no numbers, huge numbers, NUL, lone surrogates, entities', () => {
    const attribute = fc.constantFrom('bounds', 'text', 'class', 'drawing-order', 'content-desc', 'password')
    fc.assert(
      fc.property(anyTree, attribute, hostile, fc.nat(), (tree, name, value, which) => {
        const xml = textOf(tree)
        const places = [...xml.matchAll(new RegExp(` ${name}="[^"]*"`, 'g'))]
        const place = places[which % Math.max(1, places.length)]
        if (!place) return
        const put = ` ${name}="${value}"`
        survive(xml.slice(0, place.index) + put + xml.slice(place.index + place[0].length), tree.screen)
      }),
      { numRuns: 250 },
    )
  })

  it('with a duplicate attribute are refused', () => {
    fc.assert(
      fc.property(anyTree, fc.nat(), (tree, which) => {
        const xml = textOf(tree)
        const places = [...xml.matchAll(/ (text|bounds|class)="[^"]*"/g)]
        const place = places[which % Math.max(1, places.length)]
        if (!place) return
        const doubled = xml.slice(0, place.index) + place[0] + xml.slice(place.index)
        expect(survive(doubled, tree.screen)).toBe('refused')
      }),
      { numRuns: 40 },
    )
  })

  it.each([
    [
      'a bomb of entities',
      '<!DOCTYPE h [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><hierarchy><node text="&b;"/></hierarchy>',
    ],
    [
      'an outer entity',
      '<!DOCTYPE h [<!ENTITY f SYSTEM "file:///etc/passwd">]><hierarchy><node text="&f;"/></hierarchy>',
    ],
    ['a DTD within', '<hierarchy><!DOCTYPE h><node text="x"/></hierarchy>'],
    ['nothing but NUL', '\u0000'.repeat(1000)],
    ['a tag that never ends', `<hierarchy><node text="${'x'.repeat(100_000)}`],
    ['10,000 tags that are never closed', '<node>'.repeat(10_000)],
  ])('%s is refused', (_, xml) => {
    expect(survive(xml, { width: 100, height: 100 })).toBe('refused')
  })

  it('with 10,000 levels are read up to the depth limit', () => {
    const deep = `<node text="x" clickable="true" drawing-order="1" bounds="[0,0][9,9]">`
    const xml = deep.repeat(10_000) + '</node>'.repeat(10_000)
    expect(survive(xml, { width: 100, height: 100 })).toBe('elements')
    expect(parseNodes(xml).cut).toBe(true)
  })
})
