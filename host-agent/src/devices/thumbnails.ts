/**
 * The thumbnails of one phone: all callers share one read of the screen, which gives way to other calls. The
 * last picture is kept in memory, for one phone and fencing number. Used by `grpc/`. docs/decisions/0297
 */
import { ApiError, DeadlineExceeded, ownNow, Progress, type Logger } from '@phonerack/shared'
import { type Limiter } from '../base/limiter.js'
import { DeviceGone, type Device } from '../adb/device/device.js'
import { ScreenImageError, takeThumbnail, type Covered, type Thumbnail } from '../screen/index.js'
import { type Caller } from './caller.js'
import { type Typed } from './typed.js'

/** Why the phone has no picture. */
export type Absence = Covered | 'busy' | 'typed' | 'unreadable'

/** Milliseconds. `fresh`: between two reads. `last`: age up to which a picture is shown. `wait`: the wait of one caller. */
const times = { fresh: 1000, last: 60_000, wait: 2500, read: 10_000, failed: 5000 }
/** A phone is read for at most half of the time. */
const restParts = 2
/** The number of screens of a host that are read at the same time. */
export const mostThumbnails = 4

interface ThumbnailParts {
  gate: {
    readonly typed: Typed
    readonly fencing: { hold(caller: Caller): AbortSignal }
    glance<T>(
      caller: Caller,
      progress: Progress,
      work: (device: Device, progress: Progress) => Promise<T>,
    ): Promise<T | null>
  }
  /** Shared by all phones of the host. */
  limiter: Limiter
  log: Logger
  /** Milliseconds on a monotonic clock. Default: `ownNow`. */
  now?: () => number
}

type Seen = Thumbnail | Covered | 'unreadable'

export interface Thumbnails {
  /**
   * @param withTyped shows the picture even when a text was typed
   * @throws FencingRefused
   */
  take(caller: Caller, withTyped: boolean, progress: Progress): Promise<Thumbnail | Absence>
  /** Drops the last picture. */
  forget(): void
}

/** `of` is a phone and its fencing number in all methods. */
export function createThumbnails({ gate, limiter, log, now = ownNow }: ThumbnailParts): Thumbnails {
  let last: { of: string; seen: Seen; at: number } | null = null
  /** `until`: the time before which the phone is not read again. */
  let rest = { of: '', until: -Infinity }
  let reading: Promise<void> | null = null

  /**
   * Runs one read, which never rejects. Its deadline does not depend on one caller, because several callers wait for
   * it.
   */
  async function read(caller: Caller, of: string): Promise<void> {
    const within = Progress.for(times.read)
    try {
      await limiter(async () => {
        const at = now()
        const seen = await gate.glance(caller, within, (device, progress) => {
          // The pause applies to aborted reads too, because they also cost the phone time.
          rest = { of, until: at + times.fresh }
          return lookAt(device, progress)
        })
        if (seen === null) return
        last = { of, seen, at }
        const usual = Math.max(times.fresh, restParts * (now() - at))
        rest = { of, until: at + (seen === 'unreadable' ? times.failed : usual) }
      })
    } catch (error) {
      // Only errors of the agent are logged as errors: the phone may be unreachable, or have another assignment now.
      log[isOfPhone(error) ? 'info' : 'error'](
        { err: error, phone: caller.phoneId },
        'the thumbnail of a phone could not be taken',
      )
      last = { of, seen: 'unreadable', at: now() }
      rest = { of, until: now() + times.failed }
    } finally {
      reading = null
    }
  }

  async function lookAt(device: Device, within: Progress): Promise<Seen> {
    try {
      return await takeThumbnail(device, within)
    } catch (error) {
      const isAborted = within.expired && within.remaining > 0
      if (isAborted || !isOfPhone(error)) throw error
      log.info({ err: error }, 'a thumbnail could not be read')
      return 'unreadable'
    }
  }

  return {
    async take(caller, withTyped, progress) {
      const { phoneId, fencingNumber } = caller
      const of = `${phoneId} ${fencingNumber}`
      const isHidden = (): boolean => !withTyped && gate.typed.isRecent(phoneId)
      gate.fencing.hold(caller)
      if (isHidden()) return 'typed'
      if (reading !== null || rest.of !== of || now() >= rest.until) {
        const shared = (reading ??= read(caller, of))
        await progress
          .within(times.wait)
          .race('a thumbnail', () => shared)
          .catch((error: unknown) => {
            if (!(error instanceof DeadlineExceeded)) throw error
          })
      }
      // During the read, the phone may have got another assignment, or text may have been typed.
      gate.fencing.hold(caller)
      if (isHidden()) return 'typed'
      return last?.of === of && now() - last.at < times.last ? last.seen : 'busy'
    },
    forget() {
      last = null
    },
  }
}

const isOfPhone = (error: unknown): boolean =>
  error instanceof DeviceGone ||
  error instanceof DeadlineExceeded ||
  error instanceof ScreenImageError ||
  error instanceof ApiError
