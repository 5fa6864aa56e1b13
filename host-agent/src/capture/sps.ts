/**
 * Reads the codec string and the size without padding from H.264 parameter sets (ITU-T H.264,
 * 7.3.2.1.1 and E.1). Used by `fan-out.ts`, since scrcpy 3.3.3 reports a new size nowhere
 * else.
 */
import { nalTypes, nalUnits } from './annex-b.js'

interface PictureFormat {
  /** RFC 6381, for example `avc1.640028`. */
  codec: string
  /** Pixels. */
  width: number
  height: number
}

/** Profiles whose SPS has chroma fields. */
const withChroma = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135])

/** Removes parameter sets from the front of a key frame: some encoders repeat them there. */
export function withoutParameterSets(frame: Buffer): Buffer {
  for (const { type, start } of nalUnits(frame)) {
    const isSet = type === nalTypes.sps || type === nalTypes.pps || type === nalTypes.delimiter
    if (!isSet) return start === 0 ? frame : frame.subarray(start)
  }
  return frame
}

/** Bytes. The SPS of a phone has fewer than 100. */
const longestSps = 4096

/** @throws RangeError when there is no readable SPS */
export function readPictureFormat(parameterSets: Buffer): PictureFormat {
  for (const { type, bytes } of nalUnits(parameterSets))
    if (type === nalTypes.sps) return readSps(bytes.subarray(1))
  throw new RangeError('the parameter sets hold no SPS')
}

function readSps(sps: Buffer): PictureFormat {
  if (sps.length > longestSps) throw new RangeError(`an SPS of ${sps.length} bytes`)
  const bits = new Bits(sps)
  const [profile, constraints, level] = [bits.read(8), bits.read(8), bits.read(8)]
  bits.unsigned()
  let chroma = 1
  let separatePlanes = false
  if (withChroma.has(profile)) {
    chroma = bits.unsigned()
    if (chroma === 3) separatePlanes = bits.read(1) === 1
    bits.unsigned()
    bits.unsigned()
    bits.read(1)
    if (bits.read(1) === 1) skipScalingLists(bits, chroma === 3 ? 12 : 8)
  }
  bits.unsigned()
  skipPictureOrder(bits)
  bits.unsigned()
  bits.read(1)
  const blocksWide = bits.unsigned() + 1
  const mapUnitsHigh = bits.unsigned() + 1
  /** Interlaced video counts map units and cropping in field lines: a frame has twice as many. */
  const fields = bits.read(1) === 1 ? 1 : 2
  if (fields === 2) bits.read(1)
  bits.read(1)
  let width = blocksWide * 16
  let height = mapUnitsHigh * fields * 16
  if (bits.read(1) === 1) {
    const chromaArray = separatePlanes ? 0 : chroma
    const unitX = chromaArray === 1 || chromaArray === 2 ? 2 : 1
    const unitY = (chromaArray === 1 ? 2 : 1) * fields
    const [left, right, top, bottom] = [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()]
    width -= (left + right) * unitX
    height -= (top + bottom) * unitY
  }
  if (width <= 0 || height <= 0) throw new RangeError(`an SPS of ${width}x${height}`)
  const hex = [profile, constraints, level].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return { codec: `avc1.${hex}`, width, height }
}

function skipScalingLists(bits: Bits, lists: number): void {
  for (let list = 0; list < lists; list += 1) {
    if (bits.read(1) === 0) continue
    let last = 8
    let next = 8
    for (let left = list < 6 ? 16 : 64; left > 0; left -= 1) {
      if (next !== 0) next = (last + bits.signed() + 256) % 256
      if (next !== 0) last = next
    }
  }
}

function skipPictureOrder(bits: Bits): void {
  const kind = bits.unsigned()
  if (kind === 0) bits.unsigned()
  if (kind !== 1) return
  bits.read(1)
  bits.signed()
  bits.signed()
  for (let left = bits.unsigned(); left > 0; left -= 1) bits.signed()
}

/**
 * Reads a unit bit by bit, without its emulation prevention bytes.
 * @throws RangeError at the end of the unit
 */
class Bits {
  private at = 0
  private readonly bytes: Buffer

  constructor(unit: Buffer) {
    const kept: number[] = []
    let zeros = 0
    for (const byte of unit) {
      if (zeros >= 2 && byte === 3) {
        zeros = 0
        continue
      }
      zeros = byte === 0 ? zeros + 1 : 0
      kept.push(byte)
    }
    this.bytes = Buffer.from(kept)
  }

  read(count: number): number {
    let value = 0
    for (let left = count; left > 0; left -= 1) {
      const byte = this.bytes[this.at >> 3]
      if (byte === undefined) throw new RangeError('the SPS ends too early')
      value = value * 2 + ((byte >> (7 - (this.at & 7))) & 1)
      this.at += 1
    }
    return value
  }

  /** Reads an unsigned Exponential-Golomb number (`ue(v)`). */
  unsigned(): number {
    let zeros = 0
    while (this.read(1) === 0) if (++zeros > 31) throw new RangeError('a number of the SPS is too large')
    return 2 ** zeros - 1 + this.read(zeros)
  }

  signed(): number {
    const value = this.unsigned()
    return value % 2 === 1 ? (value + 1) / 2 : -value / 2
  }
}
