// Compares the fast reader with the full parser. The fast reader must accept what phones send, and must read what it
// accepts as the parser does.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyScreen } from '../testing/drafts.js'
import { dumpXml, pageSource } from '../testing/screen-xml.js'
import { ScreenXmlError } from './errors.js'
import { readPlainXml, type Tag } from './plain-xml.js'
import { treeFacts } from './trees/facts.js'
import { parseXml } from './xml.js'

function parsed(xml: string): Tag[] | 'refused' {
  const tags: Tag[] = []
  try {
    parseXml(xml, {
      open: (name, attributes) => tags.push({ name, attributes }),
      close: () => tags.push(null),
    })
    return tags
  } catch (error) {
    expect(error).toBeInstanceOf(ScreenXmlError)
    return 'refused'
  }
}

/** Whether the fast reader accepted the XML. Fails when the parser's result differs. */
function agrees(xml: string): boolean {
  const plain = readPlainXml(xml)
  if (plain !== null) expect(plain).toEqual(parsed(xml))
  return plain !== null
}

/** Without the declaration, and without the notes in our files. */
const body = (xml: string): string => xml.replace(/^\ufeff?<\?xml[^>]*\?>\s*(?:<!--[^]*?-->)?/, '')
const screens = fc.oneof(
  anyScreen.map((roots) => body(dumpXml(...roots))),
  anyScreen.map((roots) => body(pageSource(...roots))),
)
const pieces = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    ...[
      '<',
      '>',
      '/',
      '"',
      "'",
      '&',
      ';',
      '=',
      ' ',
      '\n',
      '\t',
      ':',
      '$',
      '<!--x-->',
      '<![CDATA[x]]>',
      '<?a b?>',
    ],
    ...[
      '<a/>',
      '</a>',
      '<a b="c">',
      ' text="x"',
      " text='x'",
      ' text = "x"',
      ' __proto__="x"',
      ' é="x"',
      ']]>',
    ],
    ...[
      '&amp;',
      '&lt;',
      '&#65;',
      '&#x41;',
      '&none;',
      '&amp',
      '&;',
      'a b',
      '\u00a0',
      '\u0085',
      '\u2028',
      '🙂',
    ],
  ),
)

describe('fast XML reader', () => {
  it('accepts what phones write, and reads it as the parser does', () => {
    fc.assert(
      fc.property(screens, (xml) => {
        expect(agrees(xml), xml).toBe(true)
      }),
    )
  })

  it('reads what it accepts as the parser does, after any mutation', () => {
    let taken = 0
    fc.assert(
      fc.property(screens, fc.nat(), fc.nat(12), pieces, (xml, at, length, put) => {
        const from = at % xml.length
        const mutated = xml.slice(0, from) + put + xml.slice(from + length)
        // Lone surrogates are replaced before the readers get the text.
        if (agrees(mutated.replace(/\p{Surrogate}/gu, '?'))) taken += 1
      }),
      { numRuns: 1000 },
    )
    expect(taken).toBeGreaterThan(0)
  })

  it.each([
    ['crossed tags', '<a><b></a></b>'],
    ['an open end', '<a>'],
    ['a tag too many', '<a/></a>'],
    ['half a tag', '<a b="c'],
    ['an end with attributes', '<a></a b="c">'],
    ['an end that ends twice', '<a></a/>'],
    ['an attribute twice', '<a b="c" b="c"/>'],
    ['no space between attributes', '<a b="c"d="e"/>'],
    ['an entity of its own', '<a b="&boom;"/>'],
    ['a bare ampersand', '<a b="&"/>'],
    ['a tag inside of a value', '<a b="<"/>'],
    ['text', '<a>text</a>'],
    ['nothing', ''],
    ['a DTD', '<!DOCTYPE a><a/>'],
    ['odd names', '<a$b/>'],
    ['a line break in a value', '<a b="c\nd"/>'],
    ['very many attributes', `<a${Array.from({ length: 100_000 }, (_, at) => ` b${at}="c"`).join('')}/>`],
  ])('leaves %s to the parser', (_, xml) => {
    expect(readPlainXml(xml) ?? []).toEqual([])
  })

  it('accepts names of built-in object properties', () => {
    const xml = '<a __proto__="b" constructor="c" toString="&lt;"/>'
    expect(readPlainXml(xml)).toEqual([
      {
        name: 'a',
        attributes: new Map(Object.entries({ ['__proto__']: 'b', constructor: 'c', toString: '<' })),
      },
      null,
    ])
  })

  it('accepts most of the trees modelled on real trees', () => {
    const files = treeFacts.map(({ name }) =>
      readFileSync(new URL(`trees/${name}.xml`, import.meta.url), 'utf8'),
    )
    const taken = files.filter((xml) => agrees(body(xml)))
    // One file is UTF-16, read here as if it were UTF-8.
    expect(taken).toHaveLength(files.length - 1)
  })
})
