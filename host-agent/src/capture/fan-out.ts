/**
 * Hands what one phone films to all who watch: each begins, and goes on after a
 * new encoder, with the config and a key frame. No I/O and no clock. Used by `hub.ts`.
 */
import type { Logger } from '@phonerack/shared'
import type { CaptureListener, VideoConfig } from './capture.js'
import { readPictureFormat, withoutParameterSets } from './sps.js'

interface Watcher {
  listener: CaptureListener
  /** Takes nothing before the next key frame. */
  waits: boolean
  /** The last one it got. */
  config: VideoConfig | null
}

export interface FanOut {
  readonly size: number
  /** Returns what takes it out again. */
  add(listener: CaptureListener): () => void
  /** A new encoder: frames of the one before are over. @throws RangeError for sets that cannot be read */
  parameterSets(bytes: Buffer): void
  packet(data: Buffer, ptsUs: bigint, isKeyFrame: boolean): void
  /** Takes all out and tells them. */
  end(reason: string): void
}

export function createFanOut(log: Logger): FanOut {
  const watchers = new Set<Watcher>()
  let config: VideoConfig | null = null
  let lastPtsUs = -1n

  /** A watcher that throws is a bug; it must not take the others with it. */
  function tell(watcher: Watcher, call: (listener: CaptureListener) => void): void {
    try {
      call(watcher.listener)
    } catch (error) {
      log.error({ err: error }, 'one who watches the screen failed and gets nothing more')
      watchers.delete(watcher)
    }
  }

  return {
    get size() {
      return watchers.size
    },
    add(listener) {
      const watcher: Watcher = { listener, waits: true, config: null }
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    parameterSets(bytes) {
      for (const watcher of watchers) watcher.waits = true
      // The same ones again, after a key frame was asked for, are nothing new.
      if (config?.parameterSets.equals(bytes)) return
      config = null
      config = { ...readPictureFormat(bytes), parameterSets: bytes }
    },
    packet(data, ptsUs, isKeyFrame) {
      const current = config
      if (!current) return
      lastPtsUs = ptsUs > lastPtsUs ? ptsUs : lastPtsUs + 1n
      const packet = {
        data: isKeyFrame ? withoutParameterSets(data) : data,
        ptsUs: lastPtsUs,
        isKeyFrame,
      }
      for (const watcher of [...watchers]) {
        if (watcher.waits && !isKeyFrame) continue
        watcher.waits = false
        if (watcher.config !== current) {
          watcher.config = current
          tell(watcher, (listener) => listener.onConfig(current))
        }
        // It may have left at the config.
        if (watchers.has(watcher)) tell(watcher, (listener) => listener.onPacket(packet))
      }
    },
    end(reason) {
      const all = [...watchers]
      watchers.clear()
      for (const watcher of all) tell(watcher, (listener) => listener.onEnd(reason))
    },
  }
}
