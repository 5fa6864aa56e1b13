/**
 * Distributes one phone's video to all subscribers. A subscriber starts with the config and a key frame, and gets both
 * again after a new encoder starts. Caches the last key frame and the few frames after it for late subscribers. No I/O;
 * time is passed in. Used by `hub.ts`.
 */
import type { Logger } from '@phonerack/shared'
import type { CaptureBegin, CaptureListener, VideoConfig, VideoPacket } from '../adb/device/capture.js'
import { readPictureFormat, withoutParameterSets } from './sps.js'

/**
 * Limits of the cached frames. A browser decodes all of them before the viewer sees a picture, and the agent sends all
 * of them before it can detect a slow connection.
 */
const kept = { frames: 10, bytes: 512 * 1024 }

interface Watcher {
  listener: CaptureListener
  /** Whether the subscriber gets nothing before the next key frame. */
  waits: boolean
  /** The last config that the subscriber received. */
  config: VideoConfig | null
}

interface FanOut {
  readonly size: number
  /** `needsKeyFrame`: whether the subscriber gets nothing before the next key frame. */
  add(listener: CaptureListener, begin?: CaptureBegin): { remove: () => void; needsKeyFrame: boolean }
  /**
   * Starts the stream of a new encoder; the frames of the previous encoder are obsolete. @throws RangeError for
   * unreadable parameter sets
   */
  parameterSets(bytes: Buffer): void
  packet(data: Buffer, ptsUs: bigint, isKeyFrame: boolean): void
  /** Must be called when the encoder has ended, since its frames are obsolete. */
  forget(): void
  /** Removes and notifies all subscribers. */
  end(reason: string): void
}

/** Microseconds. When the phone's clock goes back by more than this, the phone has restarted. */
const restart = 1_000_000n

/** `now`: milliseconds on a monotonic clock. */
export function createFanOut(log: Logger, now: () => number = () => performance.now()): FanOut {
  const watchers = new Set<Watcher>()
  let config: VideoConfig | null = null
  let lastPtsUs = -1n
  /** The last key frame and all frames after it. Empty when they exceeded the limits. */
  let recent: VideoPacket[] = []
  let recentBytes = 0
  /** The arrival of the last frame, on the agent's clock. */
  let lastAt = 0
  let offsetUs = 0n

  /**
   * Calls a subscriber, and removes the subscriber if it throws. Such an error is a bug, and must not affect the
   * others.
   */
  function tell(watcher: Watcher, call: (listener: CaptureListener) => void): void {
    try {
      call(watcher.listener)
    } catch (error) {
      log.error({ err: error }, 'a viewer of the screen failed and was removed')
      watchers.delete(watcher)
    }
  }

  function give(watcher: Watcher, current: VideoConfig, packet: VideoPacket): void {
    watcher.waits = false
    if (watcher.config !== current) {
      watcher.config = current
      tell(watcher, (listener) => listener.onConfig(current))
    }
    // `onConfig` may have removed the subscriber.
    if (watchers.has(watcher)) tell(watcher, (listener) => listener.onPacket(packet))
  }

  function forget(): void {
    recent = []
    recentBytes = 0
  }

  function remember(packet: VideoPacket): void {
    if (packet.isKeyFrame) forget()
    else if (recent.length === 0) return
    recent.push(packet)
    recentBytes += packet.data.length
    if (recent.length > kept.frames || recentBytes > kept.bytes) forget()
  }

  /** Returns the phone's time, continuous across boots. */
  function timeOf(ptsUs: bigint): bigint {
    const at = now()
    if (ptsUs + offsetUs < lastPtsUs - restart)
      offsetUs = lastPtsUs + BigInt(Math.round((at - lastAt) * 1000)) - ptsUs
    const time = ptsUs + offsetUs
    lastPtsUs = time > lastPtsUs ? time : lastPtsUs + 1n
    lastAt = at
    return lastPtsUs
  }

  return {
    get size() {
      return watchers.size
    },
    add(listener, begin = 'now') {
      const watcher: Watcher = { listener, waits: true, config: null }
      watchers.add(watcher)
      if (begin === 'last' && config) for (const packet of recent) give(watcher, config, packet)
      return { remove: () => void watchers.delete(watcher), needsKeyFrame: watcher.waits }
    },
    parameterSets(bytes) {
      forget()
      for (const watcher of watchers) watcher.waits = true
      // An encoder sends the same parameter sets again with a requested key frame. The config does not change then.
      if (config?.parameterSets.equals(bytes)) return
      config = null
      config = { ...readPictureFormat(bytes), parameterSets: bytes }
    },
    packet(data, ptsUs, isKeyFrame) {
      const current = config
      if (!current) return
      const packet = {
        data: isKeyFrame ? withoutParameterSets(data) : data,
        ptsUs: timeOf(ptsUs),
        isKeyFrame,
      }
      remember(packet)
      for (const watcher of [...watchers]) if (!watcher.waits || isKeyFrame) give(watcher, current, packet)
    },
    forget,
    end(reason) {
      forget()
      const all = [...watchers]
      watchers.clear()
      for (const watcher of all) tell(watcher, (listener) => listener.onEnd(reason))
    },
  }
}
