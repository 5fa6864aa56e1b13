/** Wraps H.264 pictures in MP4 fragments for Media Source Extensions, one picture per fragment. Pure. */
import { joined, unitsOf } from './annex-b.js'
import type { MuxGenerator, MuxTrack } from './mux.js'
import { type ConfigMessage } from './wire.js'

export const ticksPerSecond = 90_000
const types = { sps: 7, pps: 8 } as const

export interface Picture {
  /** Ticks since the start; greater than the ticks of the previous picture. */
  at: number
  /** Ticks, below 2^32. */
  duration: number
  isKeyFrame: boolean
  /** Annex B. */
  data: Uint8Array
}

export class Fragments {
  private readonly track: MuxTrack
  private sequence = 0

  /** @throws Error when a parameter set is missing */
  constructor(
    private readonly mux: MuxGenerator,
    { parameterSets, width, height }: ConfigMessage,
  ) {
    const units = unitsOf(parameterSets)
    const ofType = (type: number) => units.filter(([head]) => ((head ?? 0) & 0x1f) === type)
    const [sps, pps] = [ofType(types.sps), ofType(types.pps)]
    const [, profileIdc, profileCompatibility, levelIdc] = sps[0] ?? []
    if (profileIdc === undefined || profileCompatibility === undefined || levelIdc === undefined || !pps[0])
      throw new Error('a parameter set is missing')
    this.track = {
      type: 'video',
      id: 1,
      // An unknown duration marks live video, for which some browsers buffer fewer frames.
      duration: 0xffff_ffff,
      width,
      height,
      profileIdc,
      profileCompatibility,
      levelIdc,
      sps,
      pps,
      baseMediaDecodeTime: 0,
      samples: [],
    }
  }

  /** The initialisation segment, which precedes the first picture. */
  head(): Uint8Array<ArrayBuffer> {
    return this.mux.initSegment([this.track])
  }

  picture({ at, duration, isKeyFrame, data }: Picture): Uint8Array<ArrayBuffer> {
    const sample = lengthPrefixed(data)
    const flags = {
      isLeading: 0,
      dependsOn: isKeyFrame ? 2 : 1,
      isDependedOn: 1,
      hasRedundancy: 0,
      paddingValue: 0,
      isNonSyncSample: isKeyFrame ? 0 : 1,
      degradationPriority: 0,
    } as const
    this.track.baseMediaDecodeTime = at
    this.track.samples = [{ duration, size: sample.length, compositionTimeOffset: 0, flags }]
    this.sequence += 1
    return joined([this.mux.moof(this.sequence, [this.track]), this.mux.mdat(sample)])
  }
}

/** Replaces start codes with length prefixes. */
function lengthPrefixed(data: Uint8Array): Uint8Array {
  return joined(
    unitsOf(data).flatMap((unit) => {
      const length = new Uint8Array(4)
      new DataView(length.buffer).setUint32(0, unit.length)
      return [length, unit]
    }),
  )
}
