/**
 * H.264 in its file form: NAL units with lengths instead of start codes (ISO/IEC
 * 14496-15). Pure; used by `flv.ts`.
 */

const startCode = Buffer.from([0, 0, 1])

/** The NAL units of an Annex B stream, without start codes and the zeros around them. */
export function nalUnits(annexB: Buffer): Buffer[] {
  const units: Buffer[] = []
  let at = annexB.indexOf(startCode)
  while (at !== -1) {
    const from = at + startCode.length
    at = annexB.indexOf(startCode, from)
    let to = at === -1 ? annexB.length : at
    // A NAL unit ends with a set bit: zeros after it belong to the next start code.
    while (to > from && annexB[to - 1] === 0) to -= 1
    if (to > from) units.push(annexB.subarray(from, to))
  }
  return units
}

/** One access unit with each NAL unit behind its length (4 bytes). */
export function withLengths(annexB: Buffer): Buffer {
  const parts: Buffer[] = []
  for (const unit of nalUnits(annexB)) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(unit.length)
    parts.push(length, unit)
  }
  return Buffer.concat(parts)
}

const nalTypes = { sps: 7, pps: 8 }
const typeOf = (unit: Buffer): number => (unit[0] ?? 0) & 0x1f

/** `AVCDecoderConfigurationRecord` of SPS and PPS in Annex B; null when one is missing. */
export function decoderConfiguration(parameterSets: Buffer): Buffer | null {
  const units = nalUnits(parameterSets)
  const sps = units.filter((unit) => typeOf(unit) === nalTypes.sps)
  const pps = units.filter((unit) => typeOf(unit) === nalTypes.pps)
  const [first] = sps
  if (!first || first.length < 4 || pps.length === 0) return null
  const head = Buffer.from([1, first[1] ?? 0, first[2] ?? 0, first[3] ?? 0, 0xff, 0xe0 | sps.length])
  return Buffer.concat([head, ...sps.map(withLength), Buffer.from([pps.length]), ...pps.map(withLength)])
}

function withLength(unit: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(unit.length)
  return Buffer.concat([length, unit])
}
