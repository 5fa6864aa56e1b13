/**
 * One capture of a phone's screen, shared by the recorder, live viewers and fast
 * screenshots. Video runs from the first subscription to the last.
 */
import type { Progress } from '@phonerack/shared'

/**
 * The configuration of the video. It precedes the first packet, and each change of the picture's size. The next packet
 * is a key frame.
 */
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
  /** Microseconds on the phone's clock; never decreases within a capture. */
  readonly ptsUs: bigint
  readonly isKeyFrame: boolean
}

/** Called in the phone's order; must return immediately and never throw. */
export interface CaptureListener {
  onConfig(config: VideoConfig): void
  onPacket(packet: VideoPacket): void
  /** The video stopped and does not restart automatically; the subscription has ended. */
  onEnd(reason: string): void
}

export interface CaptureSubscription {
  /** Asks the phone for a key frame; subscribers share one request a second. */
  requestKeyFrame(): void
  close(): void
}

/**
 * The first frame of a subscription. `now`: a newly requested key frame, so that the first picture is
 * current. `last`: the last key frame and the packets after it, if they are few. These frames arrive
 * immediately, without the phone, and show a still screen correctly.
 */
export type CaptureBegin = 'now' | 'last'

export interface Capture {
  /**
   * Starts the video when it does not run. The listener first gets the config and a key
   * frame.
   * @throws ApiError feature_unavailable when the phone has no video; DeviceGone,
   * DeadlineExceeded
   */
  subscribe(listener: CaptureListener, progress: Progress, begin?: CaptureBegin): Promise<CaptureSubscription>
  /**
   * While the capture has no subscriber, keeps a video server ready on the phone without filming, so that the next
   * subscriber waits less. Returns when `within` ends, or when calls may no longer reach the phone.
   */
  standBy(within: Progress): Promise<void>
}
