/** Writes a resource table (`resources.arsc`) with an app's icon as its only resource. */
import { chunk, shorts, stringPool, words } from './chunks.js'

/** Package 0x7f, type 1, entry 0. */
export const iconResource = 0x7f010000
/** `ResTable_config.density` of a picture in xxhdpi, where an icon has 144 pixels. */
const density = 480
const configBytes = 64

/** @param path the PNG in the archive */
export function iconTable(packageName: string, path: string): Buffer {
  const name = Buffer.alloc(256)
  name.write(packageName.slice(0, 127), 'utf16le')
  const types = stringPool(['mipmap'])
  const keys = stringPool(['icon'])
  const header = Buffer.concat([words(0x7f), name, words(288, 1, 288 + types.length, 1, 0)])
  const spec = chunk(0x0202, Buffer.concat([Buffer.from([1, 0, 0, 0]), words(1)]), words(0))
  const config = Buffer.alloc(configBytes)
  config.writeUInt32LE(configBytes, 0)
  config.writeUInt16LE(density, 14)
  const entry = Buffer.concat([shorts(8, 0), words(0), shorts(8), Buffer.from([0, 0x03]), words(0)])
  const entriesStart = 20 + configBytes + 4
  const type = chunk(
    0x0201,
    Buffer.concat([Buffer.from([1, 0, 0, 0]), words(1, entriesStart), config]),
    Buffer.concat([words(0), entry]),
  )
  const contents = chunk(0x0200, header, Buffer.concat([types, keys, spec, type]))
  return chunk(0x0002, words(1), Buffer.concat([stringPool([path]), contents]))
}
