/**
 * Reads the XML that Android's own serializer writes: tags, attributes in double quotes, white space between them. This
 * reader takes a fifth of the time of a full XML parser, or less in a process that has just started. `xml.ts` gives all
 * other XML to that parser. Pure.
 */
import { ScreenXmlError } from './errors.js'

/** The largest number of elements, including elements that are not views. Millions of tags would take gigabytes of memory. */
const mostElements = 50_000

/** Returns the number of elements, including another one. @throws ScreenXmlError above the limit */
export const countElement = (before: number): number => {
  if (before >= mostElements) throw new ScreenXmlError(`it has more than ${mostElements} elements`)
  return before + 1
}

/** Attributes by name. The type is a map, because an app can give an attribute any name. */
export type Attributes = ReadonlyMap<string, string>

/** A start tag; null when an element ends. */
export type Tag = { name: string; attributes: Attributes } | null

/**
 * One tag and the space after it: closing slash, name, attributes, self-closing slash.
 * Names are ASCII without a colon, all of which are valid XML names. XML normalises
 * line breaks and tabs inside values, and many attributes would overflow the regular
 * expression engine's stack: such tags are left to the parser.
 */
const tag =
  /<(\/?)([A-Za-z_][\w.-]*)((?:[ \t\r\n]+[A-Za-z_][\w.-]*="[^"<\t\r\n]*"){0,200})[ \t\r\n]*(\/?)>[ \t\r\n]*/y
const space = /[ \t\r\n]*/y

/**
 * Returns all tags in order. Null for any other XML, well-formed or not. `xml` contains
 * only characters that XML allows. @throws ScreenXmlError for too many elements
 */
export function readPlainXml(xml: string): Tag[] | null {
  const tags: Tag[] = []
  const open: string[] = []
  let elements = 0
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
    elements = countElement(elements)
    const attributes = readAttributes(written)
    if (attributes === null) return null
    tags.push({ name, attributes })
    if (alone === '') open.push(name)
    else tags.push(null)
  }
  return open.length === 0 ? tags : null
}

/**
 * Reads the attributes of text that `tag` has matched. Null for a duplicate attribute, or for a value that `decode`
 * cannot read.
 */
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

/** Null when an `&` does not begin a predefined entity, or a number is not an XML character. */
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

/** Whether XML 1.0 allows the character. */
export const isXmlCharacter = (code: number): boolean =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff)
