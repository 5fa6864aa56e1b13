/**
 * Reads a phone's XML description of its screen as a stream of start and end tags. The content is untrusted: no DTD,
 * only predefined and numeric entities, limited size. No recursion.
 */
import { SaxesParser } from 'saxes'
import { ScreenXmlError } from './errors.js'
import { countElement, isXmlCharacter, readPlainXml, type Attributes } from './plain-xml.js'

export interface XmlHandler {
  open(name: string, attributes: Attributes): void
  close(): void
}

/**
 * Characters. A screen of 1,500 nodes has about 600,000. The full parser takes a fifth of a second for 8 million, in
 * which all phones of the host wait.
 */
const maxLength = 8_000_000

/**
 * Streams every element to `handler`. Skips text around the XML, and accepts several
 * roots, each with a declaration.
 * @throws ScreenXmlError for XML that is not well-formed
 */
export function readXml(source: string | Uint8Array, handler: XmlHandler): void {
  const xml = trimToXml(typeof source === 'string' ? source : decode(source))
  const plain = readPlainXml(xml)
  if (plain === null) return parseXml(xml, handler)
  for (const tag of plain) {
    if (tag) handler.open(tag.name, tag.attributes)
    else handler.close()
  }
}

/**
 * Reads any XML with the full parser. Exported for the tests, which compare
 * `readPlainXml` with it. @throws ScreenXmlError
 */
export function parseXml(xml: string, handler: XmlHandler): void {
  const parser = new SaxesParser({ fragment: true, position: false, xmlns: false as const })
  parser.on('error', (error) => {
    throw new ScreenXmlError(error.message)
  })
  parser.on('doctype', () => {
    throw new ScreenXmlError('it has a DTD')
  })
  let elements = 0
  parser.on('opentag', (tag) => {
    elements = countElement(elements)
    handler.open(tag.name, new Map(Object.entries(tag.attributes)))
  })
  parser.on('closetag', () => handler.close())
  parser.write(xml).close()
}

/** Decodes by the byte order mark, otherwise by the position of the NUL bytes around `<`, otherwise as UTF-8. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (bytes.length > maxLength * 2) throw new ScreenXmlError(`it has ${bytes.length} bytes`)
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0))
    return new TextDecoder('utf-16le').decode(bytes)
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c))
    return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder('utf-8').decode(bytes)
}

const declaration = /<\?xml\b[^<>]*\?>/g
/** Root tags of both dialects, or a class name: a `<` in a warning before the XML must not match. */
const firstRoot = /<\?xml\b|<!DOCTYPE|<(?:hierarchy|displays|node)\b|<[A-Za-z_][\w$]*(?:\.[\w$]+)+[\s/>]/
const firstTag = /<[A-Za-z_]/

function trimToXml(text: string): string {
  if (text.length > maxLength) throw new ScreenXmlError(`it has ${text.length} characters`)
  const start = text.search(firstRoot)
  const from = start >= 0 ? start : text.search(firstTag)
  const to = text.lastIndexOf('>')
  if (from < 0 || to < from) throw new ScreenXmlError(`"${excerpt(text)}" does not contain any`)
  return replaceForbidden(text.slice(from, to + 1).replace(declaration, ''))
}

/** Returns the tool's own message for the error, such as `ERROR: null root node returned by UiTestAutomationBridge.` */
const excerpt = (text: string): string =>
  text
    .slice(0, 120)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()

// oxlint-disable-next-line no-control-regex -- XML 1.0 forbids these characters, and some apps' texts have them
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu
const numeric = /&#(x[\da-f]{1,8}|\d{1,10});/gi
const surrogatePair = /&#(5[56]\d{3});&#(5[67]\d{3});/g

/** Old Android versions write an emoji as two numeric entities, and do not escape control characters. */
function replaceForbidden(xml: string): string {
  return xml
    .replace(surrogatePair, (_, high: string, low: string) => String.fromCharCode(Number(high), Number(low)))
    .replace(numeric, (entity, digits: string) => {
      const code = /^x/i.test(digits) ? parseInt(digits.slice(1), 16) : Number(digits)
      return isXmlCharacter(code) ? entity : '\ufffd'
    })
    .replace(forbidden, '\ufffd')
}
