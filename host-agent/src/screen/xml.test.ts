import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyScreen } from '../testing/drafts.js'
import { dumpXml, pageSource } from '../testing/screen-xml.js'
import { ScreenXmlError } from './errors.js'
import { parseNodes } from './nodes.js'

const label = (text: string) => dumpXml({ class: 'android.widget.TextView', text, bounds: [0, 0, 10, 10] })
const textsIn = (xml: string | Uint8Array) => parseNodes(xml).nodes.map((node) => node.text)

describe('reading XML', () => {
  it('skips text before and after it', () => {
    const noisy = `WARNING: linker <unused> & more\n${label('Hi')}UI hierchary dumped to: /dev/tty\n`
    expect(textsIn(noisy)).toEqual(['Hi'])
  })

  it('accepts several roots, each with its declaration', () => {
    expect(textsIn(`${label('One')}\n${label('Two')}`)).toEqual(['One', 'Two'])
  })

  it('decodes UTF-8 and UTF-16, with and without a byte order mark', () => {
    const text = label('Größe 数 🙂')
    const utf16 = Buffer.from(text, 'utf16le')
    const swapped = Buffer.from(utf16).swap16()
    const inputs = [
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`),
      `\ufeff${text}`,
      utf16,
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      swapped,
      Buffer.concat([Buffer.from([0xfe, 0xff]), swapped]),
    ]
    for (const input of inputs) expect(textsIn(input)).toEqual(['Größe 数 🙂'])
  })

  it('reads the five named entities and numeric entities, including an emoji as two numeric entities', () => {
    const xml = '<node text="&lt;&amp;&gt;&quot;&apos; a&#10;b &#x1F642; &#55357;&#56898;"/>'
    expect(textsIn(xml)).toEqual(['<&>"\' a\nb 🙂 🙂'])
  })

  it('replaces characters that XML forbids', () => {
    expect(textsIn('<node text="a\u0001b&#0;c&#xD800;d\ud83de"/>')).toEqual(['a\ufffdb\ufffdc\ufffdd\ufffde'])
  })

  it.each([
    ['nothing', ''],
    ['a message', 'ERROR: could not get idle state.'],
    ['half an answer', label('Hi').slice(0, -20)],
    ['crossed tags', '<hierarchy><node></hierarchy></node>'],
    ['a tag too many', `${label('Hi')}</node>`],
    ['an attribute without quotes', '<node text=hi/>'],
    ['an entity of its own', '<node text="&bomb;"/>'],
    ['a DTD', '<!DOCTYPE hierarchy [<!ENTITY bomb "boom">]><hierarchy><node text="x"/></hierarchy>'],
    ['a DTD after the declaration', `<?xml version="1.0"?><!DOCTYPE h SYSTEM "http://a/b"><h/>`],
  ])('refuses %s', (_, xml) => {
    expect(() => parseNodes(xml)).toThrow(ScreenXmlError)
  })

  it('refuses input that is too large', () => {
    expect(() => parseNodes(' '.repeat(8_000_001))).toThrow(ScreenXmlError)
  })

  it('omits nodes beyond the depth and count limits, and reports that', () => {
    const deep = parseNodes('<node text="x">'.repeat(40_000) + '</node>'.repeat(40_000))
    expect(deep.nodes).toHaveLength(1000)
    expect(deep.cut).toBe(true)
    const many = parseNodes(`<hierarchy>${'<node/>'.repeat(30_000)}</hierarchy>`)
    expect(many.nodes).toHaveLength(20_000)
    expect(many.cut).toBe(true)
    expect(parseNodes(label('Hi')).cut).toBe(false)
  })

  it('reads both dialects in the same way', () => {
    fc.assert(
      fc.property(anyScreen, (roots) => {
        expect(parseNodes(pageSource(...roots)).nodes).toEqual(parseNodes(dumpXml(...roots)).nodes)
      }),
    )
  })

  it('names a class by its tag when there is no attribute, and does not return windows as nodes', () => {
    const xml =
      '<displays><display id="0"><window title="A" bounds="[0,0][9,9]"><hierarchy><android.widget.Button text="Go"/></hierarchy></window></display></displays>'
    const { nodes } = parseNodes(xml)
    expect(nodes.map((node) => [node.className, node.parent])).toEqual([['android.widget.Button', -1]])
  })

  it('never fails with any other error, after any mutation', () => {
    fc.assert(
      fc.property(anyScreen, fc.nat(), fc.nat(40), fc.string({ maxLength: 8 }), (roots, at, length, put) => {
        const xml = dumpXml(...roots)
        const from = at % xml.length
        const mutated = xml.slice(0, from) + put + xml.slice(from + length)
        try {
          parseNodes(mutated)
        } catch (error) {
          expect(error).toBeInstanceOf(ScreenXmlError)
        }
      }),
      { numRuns: 300 },
    )
  })
})
