/**
 * Watches one phone for crashes, hangs and new notifications, by one `logcat` that filters on the phone. Each
 * start reads the kept events again from the beginning, so an interruption cannot lose events and the phone's
 * clock does not matter. A line that was already seen is skipped. Started by `supervision/supervisor.ts`.
 */
import { DeadlineExceeded, Progress, type Logger } from '@phonerack/shared'
import { AdbConnectionLost, AdbProtocolError, AdbRefused } from '../../adb/errors.js'
import { command } from '../../adb/quote.js'
import { readShellPacket, shellPacketId } from '../../adb/shell-protocol.js'
import type { AdbSocket } from '../../adb/socket.js'
import type { Transport } from '../../adb/transport.js'
import { DeviceGone } from '../../base/device-gone.js'
import { keepRunning } from '../../base/keep-running.js'
import { ownPackages } from '../../adb/parts/parts.js'
import { EventLines, watchedTags, type Observation } from './event-line.js'

interface WatchParts {
  transport: Transport
  onObservation: (observation: Observation) => void
  log: Logger
}

/** Milliseconds. */
const times = { open: 15_000, pauses: { first: 500, cap: 30_000 }, steady: 60_000 }
/** The maximum bytes; the payload of an adb packet is at most as large (AOSP `adb.h`, `MAX_PAYLOAD`). */
const longestPacket = 1 << 20
/** Bytes of one line; AOSP cuts an event at 4 KiB. */
const longestLine = 16_384
/** The number of lines whose repetition is recognised. An event buffer of 256 KiB holds fewer lines. */
const mostSeen = 8192

const follow = command(
  ...['exec', 'logcat', '-b', 'events'],
  ...['-v', 'threadtime', '-v', 'epoch', '-v', 'nsec', '-v', 'uid', '-s', ...watchedTags],
)

export class EventWatch {
  private running: AbortController | null = null
  private seen = new Set<string>()

  constructor(private readonly parts: WatchParts) {}

  /** Watches until `stop`. */
  start(): void {
    if (this.running) return
    const running = new AbortController()
    this.running = running
    const { signal } = running
    const { log } = this.parts
    const options = { signal, pauses: times.pauses, steadyMs: times.steady }
    keepRunning(() => this.run(signal), options).catch((error: unknown) => {
      log.error({ err: error }, "the watch of the phone's events ended")
      if (this.running === running) this.running = null
    })
  }

  stop(): void {
    this.running?.abort()
    this.running = null
  }

  /** Forgets the seen lines, because another phone got the device. */
  forget(): void {
    this.seen.clear()
  }

  private async run(signal: AbortSignal): Promise<'again'> {
    const { transport, log } = this.parts
    try {
      const stream = await transport.spawn(follow, Progress.for(times.open, signal))
      const close = (): void => stream.close()
      signal.addEventListener('abort', close, { once: true })
      if (signal.aborted) close()
      try {
        await this.read(stream)
      } finally {
        signal.removeEventListener('abort', close)
        stream.close()
      }
    } catch (error) {
      // The watch starts again after any error, because a watch that ended would lose later events.
      if (!isLink(error)) log.error({ err: error }, "the watch of the phone's events failed")
      else if (!signal.aborted) log.info({ err: error }, "the watch of the phone's events is interrupted")
    }
    return 'again'
  }

  private async read(stream: AdbSocket): Promise<void> {
    const lines = new EventLines()
    let rest = ''
    for (;;) {
      const { id, data } = await readShellPacket(stream)
      if (id === shellPacketId.exit) return
      if (id !== shellPacketId.stdout) continue
      if (data.length > longestPacket)
        throw new AdbProtocolError(`a packet of ${data.length} bytes of events`)
      const parts = (rest + data.toString('latin1')).split('\n')
      rest = parts.pop() ?? ''
      if (rest.length > longestLine) rest = rest.slice(0, longestLine)
      for (const part of parts)
        if (part.length <= longestLine) this.take(lines.read(Buffer.from(part, 'latin1').toString('utf8')))
    }
  }

  private take(observation: Observation | null): void {
    if (observation === null || this.seen.has(observation.id) || ownPackages.has(observation.package)) return
    if (this.seen.size >= mostSeen) this.seen = new Set([...this.seen].slice(mostSeen / 2))
    this.seen.add(observation.id)
    this.parts.onObservation(observation)
  }
}

const isLink = (error: unknown): boolean =>
  error instanceof AdbConnectionLost ||
  error instanceof AdbRefused ||
  error instanceof AdbProtocolError ||
  error instanceof DeviceGone ||
  error instanceof DeadlineExceeded
