/**
 * One viewer's unsent frames. When they exceed the limits, all frames are dropped up to the next key frame.
 * No I/O and no clock. Used by `watch.ts`.
 */
import type { VideoConfig, VideoPacket } from '../../adb/device/capture.js'

/** A frame, with the config when the viewer needs it first. */
export interface QueuedFrame {
  config: VideoConfig | null
  packet: VideoPacket
}

interface TimedFrame extends QueuedFrame {
  /** Milliseconds on the caller's clock. */
  at: number
}

interface QueueLimits {
  /** Total size of the frames. */
  bytes: number
  /** Milliseconds. Older frames would show the past. */
  age: number
}

export class ViewerQueue {
  private frames: TimedFrame[] = []
  private bytes = 0
  /** The config that must be sent before the next key frame. */
  private config: VideoConfig | null = null
  private waitsForKeyFrame = true

  constructor(private readonly limits: QueueLimits) {}

  /** True while the queue drops everything before the next key frame. */
  get needsKeyFrame(): boolean {
    return this.waitsForKeyFrame
  }

  get length(): number {
    return this.frames.length
  }

  addConfig(config: VideoConfig): void {
    this.config = config
    this.waitsForKeyFrame = true
  }

  add(packet: VideoPacket, now: number): void {
    if (this.waitsForKeyFrame && !packet.isKeyFrame) return
    this.frames.push({ config: this.config, packet, at: now })
    this.bytes += packet.data.length
    this.config = null
    this.waitsForKeyFrame = false
    this.dropOld(now)
  }

  /** Returns the next frame that is still recent enough to show. */
  take(now: number): QueuedFrame | null {
    this.dropOld(now)
    const next = this.frames.shift()
    if (!next) return null
    this.bytes -= next.packet.data.length
    return { config: next.config, packet: next.packet }
  }

  private dropOld(now: number): void {
    const isOver = () => {
      const [oldest] = this.frames
      if (!oldest) return false
      // A single frame is kept even above the limits.
      const tooMuch = this.bytes > this.limits.bytes && this.frames.length > 1
      return tooMuch || now - oldest.at > this.limits.age
    }
    while (isOver()) {
      const next = this.frames.findIndex(({ packet }, index) => index > 0 && packet.isKeyFrame)
      const dropped = this.frames.splice(0, next < 0 ? this.frames.length : next)
      for (const { packet } of dropped) this.bytes -= packet.data.length
      // The newest dropped config must still be sent.
      const unsent = dropped.findLast(({ config }) => config !== null)?.config ?? null
      const [first] = this.frames
      if (first) first.config ??= unsent
      else {
        this.config ??= unsent
        this.waitsForKeyFrame = true
      }
    }
  }
}
