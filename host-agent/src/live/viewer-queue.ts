/**
 * One viewer's unsent frames. When they exceed the limits, all are dropped up to the
 * next key frame. No I/O and no clock. Used by `watch.ts`.
 */
import type { VideoConfig, VideoPacket } from '../device/capture.js'

/** A frame; a key frame comes with its config when the viewer does not have it yet. */
export interface Due {
  config: VideoConfig | null
  packet: VideoPacket
}

interface Waiting extends Due {
  /** Milliseconds on any one clock. */
  at: number
}

export interface QueueLimits {
  /** Of all frames together. */
  bytes: number
  /** Milliseconds of the oldest frame: beyond it, a person would see the past. */
  age: number
}

export class ViewerQueue {
  private frames: Waiting[] = []
  private bytes = 0
  /** Sent before the next key frame. */
  private config: VideoConfig | null = null
  private waits = true

  constructor(private readonly limits: QueueLimits) {}

  /** Whether it accepts nothing before the next key frame. */
  get needsKeyFrame(): boolean {
    return this.waits
  }

  get length(): number {
    return this.frames.length
  }

  addConfig(config: VideoConfig): void {
    this.config = config
    this.waits = true
  }

  add(packet: VideoPacket, now: number): void {
    if (this.waits && !packet.isKeyFrame) return
    this.frames.push({ config: this.config, packet, at: now })
    this.bytes += packet.data.length
    this.config = null
    this.waits = false
    this.shorten(now)
  }

  /** The next frame that is still recent enough to show. */
  take(now: number): Due | null {
    this.shorten(now)
    const next = this.frames.shift()
    if (!next) return null
    this.bytes -= next.packet.data.length
    return { config: next.config, packet: next.packet }
  }

  private shorten(now: number): void {
    const isOver = () => {
      const [oldest] = this.frames
      if (!oldest) return false
      // A single frame above the limits is better than none.
      const tooMuch = this.bytes > this.limits.bytes && this.frames.length > 1
      return tooMuch || now - oldest.at > this.limits.age
    }
    while (isOver()) {
      const next = this.frames.findIndex(({ packet }, index) => index > 0 && packet.isKeyFrame)
      const dropped = this.frames.splice(0, next < 0 ? this.frames.length : next)
      for (const { packet } of dropped) this.bytes -= packet.data.length
      // The newest config that was dropped with them must still be sent.
      const owed = dropped.findLast(({ config }) => config !== null)?.config ?? null
      const [first] = this.frames
      if (first) first.config ??= owed
      else {
        this.config ??= owed
        this.waits = true
      }
    }
  }
}
