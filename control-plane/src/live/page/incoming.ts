/** Puts pictures together from the parts that come, and holds back those that could not be shown. Used by both players. */
import { type FrameMessage } from './wire.js'

export class Incoming {
  private parts: Uint8Array[] = []
  private needsKeyFrame = true

  /** @param counted where pictures are counted that are held back for want of a key frame */
  constructor(private readonly counted: { dropped: number }) {}

  /** What came belongs to a picture of before. */
  reset(): void {
    this.parts = []
    this.needsKeyFrame = true
  }

  /** Nothing before the next key frame. */
  waitForKeyFrame(): void {
    this.needsKeyFrame = true
  }

  /**
   * The parts of a picture once it is whole; null: more is to come, or it is held back. A hidden page shows nothing.
   * @param canShow whether there is a config yet
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
