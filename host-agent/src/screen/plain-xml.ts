/**
 * Reads the XML that Android's own serializer writes: tags, attributes in double quotes, white space between them. It
 * takes a fifth of the time of a whole XML parser, and less while the process is young. Whatever else XML may hold is left
 * to that parser (`xml.ts`, which uses this one). Pure. docs/decisions/0134.
 */

/** By name. A map: an app can give an attribute any name. */
export type Attributes = ReadonlyMap<string, string>

/** A start tag; null where an element ends. */
export type Tag = { name: string; attributes: Attributes } | null

/**
 * One tag, with the space behind it: what closes, its name, its attributes, what closes at once. Names are ASCII without a
 * colon, of which every one is a name of XML too. Line breaks and tabs inside of values are changed by XML, and many
 * attributes would fill the stack of the expression's engine: such a tag is left to the parser.
 */
const tag =
  /<(\/?)([A-Za-z_][\w.-]*)((?:[ \t\r\n]+[A-Za-z_][\w.-]*="[^"<\t\r\n]*"){0,200})[ \t\r\n]*(\/?)>[ \t\r\n]*/y
const space = /[ \t\r\n]*/y

/** All tags in their order; null for what is not as plain as that, well-formed or not. `xml` holds only XML's characters. */
export function readPlainXml(xml: string): Tag[] | null {
  const tags: Tag[] = []
  const open: string[] = []
  space.lastIndex = 0
  space.test(xml)
  for (let at = space.lastIndex; at < xml.length; at = tag.lastIndex) {
    tag.lastIndex = at
    const [, closes = '', name, written = '', alone = ''] = tag.exec(xml) ?? []
    if (name === undefined) return null
    if (closes !== '') {
      if (open.pop() !== name || written !== '' || alone !== '') return null
      tags.push(null)
      continue
    }
    const attributes = readAttributes(written)
    if (attributes === null) return null
    tags.push({ name, attributes })
    if (alone === '') open.push(name)
    else tags.push(null)
  }
  return open.length === 0 ? tags : null
}

/** Of text that `tag` has matched. Null when one stands twice, or has what `decode` does not know. */
function readAttributes(written: string): Attributes | null {
  const attributes = new Map<string, string>()
  let count = 0
  let at = 0
  for (let equals = written.indexOf('="'); equals >= 0; equals = written.indexOf('="', at)) {
    const name = written.slice(at, equals).trimStart()
    at = written.indexOf('"', equals + 2) + 1
    const raw = written.slice(equals + 2, at - 1)
    const value = raw.includes('&') ? decode(raw) : raw
    if (value === null) return null
    attributes.set(name, value)
    count += 1
  }
  return attributes.size === count ? attributes : null
}

const entities = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Null when an `&` begins no entity of XML's own, or a number that is none of its characters. */
function decode(raw: string): string | null {
  const unknown: string[] = []
  const value = raw.replace(
    /&(?:(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|([a-z]{2,4}));)?/g,
    (found, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal)
      const meant = isXmlCharacter(code) ? String.fromCodePoint(code) : entities.get(name ?? '')
      if (meant === undefined) unknown.push(found)
      return meant ?? ''
    },
  )
  return unknown.length === 0 ? value : null
}

/** Of XML 1.0. */
export const isXmlCharacter = (code: number): boolean =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff)
