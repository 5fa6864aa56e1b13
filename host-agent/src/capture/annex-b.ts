/** Splits H.264 into NAL units at start codes (ITU-T H.264, Annex B). Pure. */

const startCode = Buffer.from([0, 0, 1])

export const nalTypes = { sps: 7, pps: 8, delimiter: 9 } as const

interface NalUnit {
  type: number
  /** The unit from its header on, without the zeros after it. */
  bytes: Buffer
  /** Offset of the start code of the unit, including the zeros before it. */
  start: number
}

/** Yields the NAL units of a stream, in order, as views of `annexB`. Skips empty units. */
export function* nalUnits(annexB: Buffer): Generator<NalUnit> {
  let code = annexB.indexOf(startCode)
  for (let start = beforeZeros(annexB, 0, code); code !== -1;) {
    const from = code + startCode.length
    code = annexB.indexOf(startCode, from)
    // A NAL unit ends with a set bit: zeros after it belong to the next start code.
    const to = beforeZeros(annexB, from, code === -1 ? annexB.length : code)
    if (to > from) yield { type: annexB.readUInt8(from) & 0x1f, bytes: annexB.subarray(from, to), start }
    start = to
  }
}

function beforeZeros(bytes: Buffer, from: number, to: number): number {
  let end = to
  while (end > from && bytes[end - 1] === 0) end -= 1
  return end
}
