/** Assembles frames from their parts, and drops frames that cannot be decoded. Used by both players. */
import { type FrameMessage } from './wire.js'

export class Incoming {
  private parts: Uint8Array[] = []
  private needsKeyFrame = true

  /** @param counted counts frames that are dropped until a key frame arrives */
  constructor(private readonly counted: { dropped: number }) {}

  /** Discards an incomplete frame. */
  reset(): void {
    this.parts = []
    this.needsKeyFrame = true
  }

  /** Drops frames until the next key frame. */
  waitForKeyFrame(): void {
    this.needsKeyFrame = true
  }

  /**
   * Adds a part of a frame. Returns a complete frame's parts, or null while the frame is incomplete or
   * dropped. A hidden page shows nothing.
   * @param canShow true once the page has a config
   */
  take({ data, isLast, isKeyFrame }: FrameMessage, canShow: boolean): Uint8Array[] | null {
    this.parts.push(data)
    if (!isLast) return null
    const parts = this.parts
    this.parts = []
    if (!canShow || document.hidden) {
      this.needsKeyFrame = true
      return null
    }
    if (this.needsKeyFrame && !isKeyFrame) {
      this.counted.dropped += 1
      return null
    }
    this.needsKeyFrame = false
    return parts
  }
}
