/** Writes ZIP archives of stored entries. Source: PKWARE APPNOTE, 4.3. */
import { crc32 } from 'node:zlib'
import { shorts, words } from './chunks.js'

/**
 * Writes an archive. The contents begin at multiples of 4 bytes, as Android requires for `resources.arsc`.
 * `blockOf` gets the entries, the directory and the end record; its result is inserted before the directory.
 */
export function zipOf(
  entries: Readonly<Record<string, Buffer>>,
  blockOf: (sections: readonly Buffer[]) => Buffer = () => Buffer.alloc(0),
): Buffer {
  const contents: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(name)
    const padding = Buffer.alloc(-(offset + 30 + bytes.length) & 3)
    const sizes = words(crc32(content), content.length, content.length)
    const common = Buffer.concat([shorts(20, 0, 0, 0, 0), sizes, shorts(bytes.length)])
    const local = [Buffer.from('PK\x03\x04'), common, shorts(padding.length), bytes, padding, content]
    contents.push(...local)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, shorts(0, 0, 0, 0), words(0, offset), bytes)
    offset += local.reduce((sum, { length }) => sum + length, 0)
  }
  const count = Object.keys(entries).length
  const list = Buffer.concat(directory)
  const endAt = (at: number): Buffer =>
    Buffer.concat([Buffer.from('PK\x05\x06'), shorts(0, 0, count, count), words(list.length, at), shorts(0)])
  const block = blockOf([Buffer.concat(contents), list, endAt(offset)])
  return Buffer.concat([...contents, block, list, endAt(offset + block.length)])
}
