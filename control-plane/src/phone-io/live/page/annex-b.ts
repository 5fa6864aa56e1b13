/** Splits H.264 from the socket into NAL units at start codes (ITU-T H.264, Annex B). Pure. */

/** The NAL units of a stream, without start codes and padding zeros, as views of `bytes`. */
export function unitsOf(bytes: Uint8Array): Uint8Array[] {
  const units: Uint8Array[] = []
  let start = -1
  let at = 0
  while (at + 2 < bytes.length) {
    // A byte above 1 is not part of a start code.
    if ((bytes[at + 2] ?? 0) > 1) at += 3
    else if (bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1) {
      if (start >= 0) units.push(withoutZeros(bytes.subarray(start, at)))
      at += 3
      start = at
    } else at += 1
  }
  if (start >= 0) units.push(withoutZeros(bytes.subarray(start)))
  return units.filter(({ length }) => length > 0)
}

function withoutZeros(unit: Uint8Array): Uint8Array {
  let end = unit.length
  while (end > 0 && unit[end - 1] === 0) end -= 1
  return unit.subarray(0, end)
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
