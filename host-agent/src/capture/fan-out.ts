/**
 * Distributes one phone's video to all subscribers: each one starts, and continues
 * after a new encoder, with the config and a key frame. Caches the last of them for
 * late subscribers, as long as little followed. No I/O; time is passed in. Used by
 * `hub.ts`.
 */
import type { Logger } from '@phonerack/shared'
import type { CaptureBegin, CaptureListener, VideoConfig, VideoPacket } from '../adb/device/capture.js'
import { readPictureFormat, withoutParameterSets } from './sps.js'

/**
 * A browser decodes this many at once before the viewer sees them, and they arrive
 * before its connection is known to be slow.
 */
const kept = { frames: 10, bytes: 512 * 1024 }

interface Watcher {
  listener: CaptureListener
  /** Gets nothing before the next key frame. */
  waits: boolean
  /** The last config it received. */
  config: VideoConfig | null
}

interface FanOut {
  readonly size: number
  /** `needsKeyFrame`: it gets nothing before the next one. */
  add(listener: CaptureListener, begin?: CaptureBegin): { remove: () => void; needsKeyFrame: boolean }
  /**
   * Starts a new encoder's stream: the previous encoder's frames are obsolete. @throws
   * RangeError for unreadable sets
   */
  parameterSets(bytes: Buffer): void
  packet(data: Buffer, ptsUs: bigint, isKeyFrame: boolean): void
  /** The encoder has ended: its frames are obsolete. */
  forget(): void
  /** Removes and notifies all subscribers. */
  end(reason: string): void
}

/** Microseconds: a larger step back of the phone's clock means that the phone has restarted. */
const restart = 1_000_000n

/** `now`: milliseconds on a monotonic clock. */
export function createFanOut(log: Logger, now: () => number = () => performance.now()): FanOut {
  const watchers = new Set<Watcher>()
  let config: VideoConfig | null = null
  let lastPtsUs = -1n
  /** The last key frame and all that followed; empty when that exceeded the limit. */
  let recent: VideoPacket[] = []
  let recentBytes = 0
  /** When that arrived, on the agent's clock; and the offset added to the phone's times. */
  let lastAt = 0
  let offsetUs = 0n

  /** A subscriber that throws is a bug; it must not affect the others. */
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
    // `onConfig` may have removed it.
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

  /** The phone's time, continuous across boots. */
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
      // The same sets again, after a requested key frame, are not a change.
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
