/**
 * One capture of a phone's screen for all who need it: recorder, live viewers,
 * fast screenshots. Video runs from the first subscriber to the last.
 */
import type { Progress } from '@phonerack/shared'

/** Comes before the first packet and whenever the picture's size changes; the next packet is a key frame. */
export interface VideoConfig {
  /** RFC 6381, for example `avc1.640028`. */
  readonly codec: string
  /** SPS and PPS with Annex B start codes. */
  readonly parameterSets: Buffer
  /** Pixels of the picture, without the codec's padding. */
  readonly width: number
  readonly height: number
}

/** One access unit of H.264 with Annex B start codes, without parameter sets. */
export interface VideoPacket {
  readonly data: Buffer
  /** Microseconds of the phone's clock; never goes back within a capture. */
  readonly ptsUs: bigint
  readonly isKeyFrame: boolean
}

/** Called in the order in which the phone sent things; must return at once and never throw. */
export interface CaptureListener {
  onConfig(config: VideoConfig): void
  onPacket(packet: VideoPacket): void
  /** The video stopped and does not come back by itself; the subscription is over. */
  onEnd(reason: string): void
}

export interface CaptureSubscription {
  /** Asks the phone for a key frame; several askers share one request a second. */
  requestKeyFrame(): void
  close(): void
}

/**
 * `now`: a key frame that is asked for anew, so that the first picture is of this moment. `last`: the last key frame
 * and what followed, when that is little: at once, without the phone, and of a still screen the same picture.
 */
export type CaptureBegin = 'now' | 'last'

export interface Capture {
  /**
   * Starts the video when nobody had it yet. The first things the listener gets are the config and a key frame.
   * @throws ApiError feature_unavailable when the phone has no video; DeviceGone, DeadlineExceeded
   */
  subscribe(listener: CaptureListener, progress: Progress, begin?: CaptureBegin): Promise<CaptureSubscription>
  /**
   * While nobody watches, keeps the phone as near to filming as it can be without filming: who comes waits for less.
   * Returns when `within` ends, or when nobody may reach the phone any more.
   */
  standBy(within: Progress): Promise<void>
}
