/** Types for the part of adbkit-apkreader 3.2 that this folder uses. The library has no types. */
declare module '@devicefarmer/adbkit-apkreader/lib/apkreader/parser/binaryxml.js' {
  export interface XmlAttribute {
    name: string | undefined
    value: string | null
    /** A reference to a resource is the text `resourceId:0x…`. */
    typedValue: { value: unknown; type: string | null }
  }
  export interface XmlElement {
    nodeName: string | undefined
    attributes: XmlAttribute[]
    childNodes: XmlElement[]
  }
  export default class BinaryXmlParser {
    constructor(buffer: Buffer)
    protected buffer: Buffer
    protected cursor: number
    protected strings: string[]
    /** Resource IDs of the first names in `strings`. */
    protected resources: number[]
    protected readXmlAttribute(): XmlAttribute
    parse(): XmlElement | null
  }
}
