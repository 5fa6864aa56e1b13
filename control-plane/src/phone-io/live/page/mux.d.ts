/**
 * The parts of mux.js 7.1.0 (Apache-2.0) that the page uses. The library is served as `mux.js`, a script that
 * sets `muxjs`.
 */

interface MuxSample {
  /** Ticks of 1/90,000 s. */
  duration: number
  /** Bytes. */
  size: number
  compositionTimeOffset: number
  flags: {
    isLeading: 0
    dependsOn: 1 | 2
    isDependedOn: 1
    hasRedundancy: 0
    paddingValue: 0
    isNonSyncSample: 0 | 1
    degradationPriority: 0
  }
}

export interface MuxTrack {
  type: 'video'
  id: number
  duration: number
  width: number
  height: number
  profileIdc: number
  profileCompatibility: number
  levelIdc: number
  /** NAL units without start codes. */
  sps: Uint8Array[]
  pps: Uint8Array[]
  /** Ticks since the start. */
  baseMediaDecodeTime: number
  samples: MuxSample[]
}

export interface MuxGenerator {
  initSegment(tracks: MuxTrack[]): Uint8Array<ArrayBuffer>
  moof(sequenceNumber: number, tracks: MuxTrack[]): Uint8Array<ArrayBuffer>
  mdat(data: Uint8Array): Uint8Array<ArrayBuffer>
}

declare global {
  var muxjs: { generator: MuxGenerator }
}
