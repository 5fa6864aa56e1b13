/**
 * The `Motion` of one phone. It uses a small video of the screen while an agent acts on the phone. While the capture
 * runs, it uses the video of the capture instead, since phones have few encoders. `frames.ts` decides which frames are
 * drawings. Created by the device's preparation.
 */
import { onAbort, ownNow, pause, Progress, type Logger } from '@phonerack/shared'
import type { Drawings, Motion } from '../../adb/device/motion.js'
import type { Transport } from '../../adb/transport.js'
import { keepRunning } from '../../base/keep-running.js'
import type { VideoFollower } from '../hub.js'
import { requireJar, type Jar } from '../scrcpy/jar.js'
import { putJar } from '../scrcpy/server-process.js'
import { launchVideo, motionOptions, openVideoSocket, type VideoSink } from '../video-socket.js'
import { nextFrame, nothingSeen, type Seen } from './frames.js'

export interface MotionKeeper extends Motion {
  /** Gets the frames of the capture. */
  readonly follower: VideoFollower
  /** Ends the video. A later `act` starts it again. */
  stop(): void
}

interface MotionParts {
  transport: Transport
  /** Null when the host has no jar; nothing is then known about drawings. */
  jar: Jar | null
  log: Logger
  /** Replaces `linger`, in milliseconds, for tests. */
  lingerMs?: number | undefined
}

/** Milliseconds. `linger`: from the last call of `act` to the end of the video. */
const times = { linger: 60_000, start: 10_000, first: 500, cap: 30_000, steady: 30_000 }

export function createMotion({ transport, jar, log, lingerMs = times.linger }: MotionParts): MotionKeeper {
  let wantedUntil = -Infinity
  let isCaptured = false
  let over: NodeJS.Timeout | undefined
  /** Ends the motion video; null while no motion video is wanted. */
  let filming: AbortController | null = null
  let closeVideo = (): void => undefined
  let seen: Seen = nothingSeen
  const waiters = new Set<() => void>()

  function see(next: Seen): void {
    const isNews = next.knownSince !== seen.knownSince || next.drawnAt > seen.drawnAt
    seen = next
    if (isNews) for (const wake of [...waiters]) wake()
  }

  /** `repeats`: see `nextFrame`. */
  function sinkOf(repeats: boolean): VideoSink {
    let isFirst = false
    return {
      onParameterSets() {
        isFirst = true
        see(nothingSeen)
      },
      onPacket(data, ptsUs, isKey) {
        const frame = { atMs: ownNow(), ptsUs, bytes: data.length, isKey, isFirst }
        isFirst = false
        see(nextFrame(seen, frame, repeats))
      },
    }
  }

  function plan(): void {
    const isWanted = jar !== null && !isCaptured && ownNow() < wantedUntil
    if (isWanted && filming === null) {
      filming = new AbortController()
      const { signal } = filming
      const pauses = { first: times.first, cap: times.cap }
      void keepRunning(() => film(signal), { signal, pauses, steadyMs: times.steady })
    } else if (!isWanted && filming !== null) {
      filming.abort()
      filming = null
      see(nothingSeen)
    }
  }

  /** Runs one motion video, from its start to its end. Never rejects. */
  async function film(signal: AbortSignal): Promise<'again'> {
    const sink = sinkOf(false)
    const mine: VideoSink = {
      onParameterSets: (bytes) => {
        if (!signal.aborted) sink.onParameterSets(bytes)
      },
      onPacket: (data, ptsUs, isKey) => {
        if (!signal.aborted) sink.onPacket(data, ptsUs, isKey)
      },
    }
    try {
      const progress = Progress.for(times.start, signal)
      const pinned = transport.pinned()
      const jarPath = await putJar(pinned, requireJar(jar), progress)
      const launched = await launchVideo(pinned, jarPath, motionOptions, progress)
      const socket = await openVideoSocket(pinned, launched, mine, progress)
      closeVideo = () => socket.close()
      const forget = onAbort(signal, closeVideo)
      const reason = await socket.ended.finally(forget)
      if (!signal.aborted) log.info({ reason }, 'the motion video ended')
    } catch (error) {
      if (!signal.aborted) log.info({ err: error }, 'the motion video did not start')
    }
    if (!signal.aborted) see(nothingSeen)
    return 'again'
  }

  const captured = sinkOf(true)
  return {
    follower: {
      ...captured,
      films(isFilming) {
        isCaptured = isFilming
        see(nothingSeen)
        plan()
      },
      onEnd: () => see(nothingSeen),
    },
    act() {
      wantedUntil = ownNow() + lingerMs
      clearTimeout(over)
      over = setTimeout(plan, lingerMs + 1)
      over.unref()
      plan()
    },
    read: (): Drawings | null =>
      seen.knownSince === null ? null : { knownSince: seen.knownSince, drawnAt: seen.drawnAt },
    async next(ms, progress, what) {
      const woken = new AbortController()
      const wake = () => woken.abort()
      waiters.add(wake)
      try {
        await progress.race(what, () => pause(ms, woken.signal))
      } finally {
        waiters.delete(wake)
        wake()
      }
    },
    distrust() {
      log.warn('the screen changed without a frame; the motion video starts again')
      see(nothingSeen)
      if (filming) closeVideo()
    },
    stop() {
      wantedUntil = -Infinity
      clearTimeout(over)
      plan()
    },
  }
}
