/**
 * H.264 in its file form: NAL units with lengths instead of start codes (ISO/IEC
 * 14496-15). Pure; used by `flv.ts`.
 */
import { nalTypes, nalUnits } from '../../capture/annex-b.js'

/** Returns an access unit with the length (4 bytes) before each NAL unit. */
export function withLengths(annexB: Buffer): Buffer {
  const parts: Buffer[] = []
  for (const { bytes } of nalUnits(annexB)) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    parts.push(length, bytes)
  }
  return Buffer.concat(parts)
}

/** Builds the `AVCDecoderConfigurationRecord` from SPS and PPS in Annex B; null when SPS or PPS is missing. */
export function decoderConfiguration(parameterSets: Buffer): Buffer | null {
  const units = [...nalUnits(parameterSets)]
  const ofType = (wanted: number) => units.filter(({ type }) => type === wanted).map(({ bytes }) => bytes)
  const sps = ofType(nalTypes.sps)
  const pps = ofType(nalTypes.pps)
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
