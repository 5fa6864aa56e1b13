/**
 * Counts the fields of an encoded protobuf message without decoding it: an empty list entry takes
 * two bytes on the wire and far more as an object. Pure.
 */

/** Returns false if there are more than `most` fields, counting each list entry, or the bytes are not a message. */
export function hasFewFields(bytes: Uint8Array, most: number): boolean {
  let at = 0
  /** Returns NaN at the end of the bytes. */
  const varint = (): number => {
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at]
      at += 1
      if (byte === undefined) return NaN
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    return NaN
  }
  for (let count = 0; at < bytes.length; count += 1) {
    if (count >= most) return false
    const tag = varint()
    const kind = tag % 8
    if (kind === 0) {
      if (Number.isNaN(varint())) return false
    } else if (kind === 1) at += 8
    else if (kind === 2) {
      const length = varint()
      at += length
    } else if (kind === 5) at += 4
    else return false
    if (!(at <= bytes.length)) return false
  }
  return true
}
