/** Writes the parts that Android's binary XML and resource tables share. Source: AOSP `androidfw/ResourceTypes.h`. */

export function chunk(type: number, header: Buffer, body: Buffer): Buffer {
  const bytes = 8 + header.length
  return Buffer.concat([shorts(type, bytes), words(bytes + body.length), header, body])
}

/** Strings are in UTF-16. */
export function stringPool(strings: readonly string[]): Buffer {
  const texts = strings.map((text) =>
    Buffer.concat([shorts(text.length), Buffer.from(text, 'utf16le'), shorts(0)]),
  )
  let at = 0
  const offsets = texts.map(({ length }) => (at += length) - length)
  const padding = Buffer.alloc(-at & 3)
  const header = words(strings.length, 0, 0, 28 + 4 * strings.length, 0)
  return chunk(0x0001, header, Buffer.concat([words(...offsets), ...texts, padding]))
}

export function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  values.forEach((value, index) => bytes.writeUInt16LE(value, 2 * index))
  return bytes
}

/** Negative values are in two's complement. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => bytes.writeUInt32LE(value >>> 0, 4 * index))
  return bytes
}
