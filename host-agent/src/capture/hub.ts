/**
 * The `Capture` of one phone: a scrcpy server that films from the first subscription until a few
 * seconds after the last, restarted when it dies. Created by the device's supervisor.
 */
import { DeadlineExceeded, Progress, type Logger } from '@phonerack/shared'
import type { Transport } from '../adb/transport.js'
import { DeviceGone } from '../adb/device/device.js'
import { requireJar, type Jar } from './scrcpy/jar.js'
import { jarPathOf, putJar } from './scrcpy/server-process.js'
import type { Capture } from '../adb/device/capture.js'
import { createFanOut } from './fan-out.js'
import { askTimes, createKeyFrameAsks } from './key-frame-asks.js'
import { createSpare } from './spare.js'
import {
  filmOptions,
  launchVideo,
  openVideoSocket,
  type VideoSink,
  type VideoSocket,
} from './video-socket.js'

export interface CaptureHub extends Capture {
  /** Ends the video and notifies all subscribers; a later `subscribe` starts it again. */
  stop(reason: string): void
}

interface HubParts {
  transport: Transport
  /** Null when the host has no jar; every subscription then fails. */
  jar: Jar | null
  log: Logger
  /** Sees all frames without being a subscriber. */
  follower?: VideoFollower
  /** Replaces some of `captureTimes`, for tests. */
  changes?: Partial<CaptureTimes>
}

/** Called in the order of the stream; must return immediately and never throw. */
export interface VideoFollower extends VideoSink {
  films(isFilming: boolean): void
  /** Called when the stream has ended. Another stream may follow while the capture films. */
  onEnd(): void
}

/**
 * Milliseconds. `linger`: between the last subscriber leaving and the end of the video. `spare`: how long the standby
 * server may take to film before another server is started. `restart`: how long a broken video may take to recover
 * before subscribers are notified of its end. `keyFrames`: between two requests for a key frame. `sparePause`: between
 * the death of a standby server and the start of the next.
 */
const captureTimes = {
  linger: 5000,
  start: 10_000,
  spare: 3000,
  restart: 8000,
  firstPause: 50,
  longestPause: 1000,
  keyFrames: askTimes.between,
  sparePause: 1000,
}
export type CaptureTimes = Readonly<typeof captureTimes>

/** One video from start to end, including restarts. */
interface Run {
  readonly control: AbortController
  /** Null while the video is being started. */
  socket: VideoSocket | null
}

export function createCaptureHub({ transport, jar, log, follower, changes }: HubParts): CaptureHub {
  const times: CaptureTimes = { ...captureTimes, ...changes }
  const fan = createFanOut(log)
  let run: Run | null = null
  /**
   * True when the jar was on the phone at the last start and nothing has failed since. A start then skips the check of
   * the jar, because a person waits.
   */
  let hasJar = false
  /** Settles with the first start of the run. */
  let started: Promise<unknown> = Promise.resolve()
  let lingering: NodeJS.Timeout | undefined
  const launch = async (progress: Progress) => {
    const needed = requireJar(jar)
    if (!hasJar) await putJar(transport, needed, progress)
    hasJar = false
    return launchVideo(transport, jarPathOf(needed), filmOptions, progress)
  }
  const spare = createSpare({ launch, log, pauses: { first: times.sparePause, longest: 60_000 } })
  const asks = createKeyFrameAsks({
    ask: () => run?.socket?.resetVideo(),
    // Closing the socket restarts the video, or ends the video for all subscribers.
    giveUp: () => run?.socket?.close(),
    times: { ...askTimes, between: times.keyFrames },
  })

  async function open(mine: Run, progress: Progress): Promise<VideoSocket> {
    const sink: VideoSink = {
      onParameterSets: (bytes: Buffer) => {
        if (run !== mine) return
        fan.parameterSets(bytes)
        follower?.onParameterSets(bytes)
      },
      onPacket: (data: Buffer, ptsUs: bigint, isKeyFrame: boolean) => {
        if (run !== mine) return
        if (isKeyFrame) asks.answered()
        fan.packet(data, ptsUs, isKeyFrame)
        follower?.onPacket(data, ptsUs, isKeyFrame)
      },
    }
    const socket =
      (await openSpare(sink, progress)) ??
      (await openVideoSocket(transport, await launch(progress), sink, progress))
    if (mine.control.signal.aborted) {
      socket.close()
      throw new DeviceGone(transport.serial)
    }
    hasJar = true
    mine.socket = socket
    asks.begins()
    return socket
  }

  /** Opens the video of the standby server. Null when there is no standby server, or when it fails. */
  async function openSpare(sink: VideoSink, progress: Progress): Promise<VideoSocket | null> {
    const waiting = await spare.take()
    if (!waiting) return null
    try {
      return await openVideoSocket(transport, waiting, sink, progress.within(times.spare))
    } catch (error) {
      progress.check('start of the video')
      log.warn({ err: error }, 'the standby video server sends no video, so another server is started')
      return null
    }
  }

  function setRun(next: Run | null): void {
    run = next
    spare.films(next !== null)
    follower?.films(next !== null)
  }

  function start(): void {
    const mine: Run = { control: new AbortController(), socket: null }
    setRun(mine)
    const first = open(mine, Progress.for(times.start, mine.control.signal))
    started = first
    void first.then(
      (socket) => keepFilming(mine, socket),
      () => {
        // `started` carries the error to its waiters.
        if (run === mine) setRun(null)
      },
    )
  }

  /** Restarts the video whenever it ends, until it fails to recover in time. */
  async function keepFilming(mine: Run, first: VideoSocket): Promise<void> {
    let socket: VideoSocket | null = first
    const isOver = () => mine.control.signal.aborted
    while (socket) {
      const startedAt = performance.now()
      const reason = await socket.ended
      mine.socket = null
      asks.ends()
      if (isOver()) return
      follower?.onEnd()
      hasJar = false
      fan.forget()
      log.warn({ reason }, 'the screen video ended and is restarted')
      // Restarting in a loop must not cost the phone more than running.
      const soon = performance.now() - startedAt < times.longestPause
      socket = await reopen(mine, soon ? times.longestPause : times.firstPause)
      if (socket || isOver()) continue
      setRun(null)
      fan.end(`the video of the screen ended: ${reason}`)
    }
  }

  /** Starts the video again. Null when the video did not start in time or is no longer wanted. */
  async function reopen(mine: Run, firstPause: number): Promise<VideoSocket | null> {
    const within = Progress.for(times.restart, mine.control.signal)
    for (let pause = firstPause; !within.expired; pause = Math.min(pause * 2, times.longestPause)) {
      try {
        await within.sleep(pause, 'start of the video')
        return await open(mine, within)
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) log.warn({ err: error }, 'the video did not restart')
      }
    }
    return null
  }

  function end(): void {
    clearTimeout(lingering)
    asks.ends()
    fan.forget()
    const ending = run
    setRun(null)
    ending?.control.abort()
    ending?.socket?.close()
  }

  function leave(remove: () => void): void {
    remove()
    clearTimeout(lingering)
    if (fan.size === 0 && run) lingering = setTimeout(end, times.linger)
  }

  return {
    async subscribe(listener, progress, begin) {
      progress.check('start of the video')
      clearTimeout(lingering)
      let isSubscribed = false
      let endedBefore: string | null = null
      const { remove, needsKeyFrame } = fan.add(
        {
          onConfig: (config) => listener.onConfig(config),
          onPacket: (packet) => listener.onPacket(packet),
          onEnd(reason) {
            if (isSubscribed) listener.onEnd(reason)
            else endedBefore = reason
          },
        },
        begin,
      )
      const over = (): string | null => endedBefore
      try {
        if (!run) start()
        if (run?.socket && needsKeyFrame) asks.wanted()
        await progress.race('start of the video', () => started)
        const reason = over()
        if (reason !== null) throw new DeviceGone(transport.serial, new Error(reason))
      } catch (error) {
        leave(remove)
        throw error
      }
      isSubscribed = true
      return { requestKeyFrame: () => asks.wanted(), close: () => leave(remove) }
    },
    standBy: (within) => spare.keep(within),
    stop(reason) {
      spare.stop()
      // The caller that stops the capture may wipe the phone next.
      hasJar = false
      end()
      fan.end(reason)
    },
  }
}
