/**
 * Converts ended recordings to video files, with retries: one at a time per owner, and few in total, since
 * phones have priority. Used by `recordings.ts`.
 */
import { rm } from 'node:fs/promises'
import { type Logger, pause } from '@phonerack/shared'
import { isDiskFull, type Programs } from './ffmpeg.js'
import { finish, NothingRecorded } from './finish.js'
import { ownerOf, type Entry, type RecordingStore } from './store.js'

interface ConversionQueue {
  /** Queues a recording. When its conversion fails permanently, the recording's entry becomes `failed`. */
  add(id: string): void
  /**
   * Stops the conversion of a recording. After this call returns, no more data is written for the recording.
   */
  cancel(id: string): Promise<void>
  /** Cancels all conversions, including later ones: the next agent process runs them. */
  close(): Promise<void>
}

/**
 * Milliseconds between attempts; between checks of a full disk; and after which a conversion is attempted
 * despite a full disk.
 */
export const conversionTimes = { retry: 2000, spaceCheck: 2000, full: 60_000 }
/** Attempts of one conversion, without the attempts that failed because of a full disk. */
const maxAttempts = 5

/**
 * The number of concurrent conversions, and how many of the conversions may be long. A short conversion therefore never
 * waits hours for the long conversion of another owner.
 */
const maxConcurrent = 4
const maxConcurrentLong = 3
/** The number of bytes from which a recording is long: about half an hour. */
const longBytes = 200_000_000

interface Job {
  owner: string
  isLong: boolean
}

interface Running extends Job {
  control: AbortController
  done: Promise<void>
}

export function createConversionQueue(
  store: RecordingStore,
  programs: Programs,
  log: Logger,
  times = conversionTimes,
): ConversionQueue {
  /** The jobs by recording ID, in order of arrival. */
  const waiting = new Map<string, Job>()
  const current = new Map<string, Running>()
  let isClosed = false

  /** Returns the oldest job whose owner has no running conversion, when a slot is free. */
  function next(): [string, Job] | null {
    const running = [...current.values()]
    if (running.length >= maxConcurrent) return null
    const isLongLimitReached = running.filter(({ isLong }) => isLong).length >= maxConcurrentLong
    for (const [id, job] of waiting) {
      if (running.some(({ owner }) => owner === job.owner)) continue
      if (!(job.isLong && isLongLimitReached)) return [id, job]
    }
    return null
  }

  function work(): void {
    for (let found = next(); found; found = next()) {
      const [id, job] = found
      waiting.delete(id)
      const control = new AbortController()
      const done = convert(id, control.signal).then(() => {
        current.delete(id)
        work()
      })
      current.set(id, { ...job, control, done })
    }
  }

  async function convert(id: string, signal: AbortSignal): Promise<void> {
    try {
      await convertWithRetries(id, signal)
    } catch (error) {
      log.error({ err: error, recording: id }, 'a recording could not be processed')
    }
  }

  async function convertWithRetries(id: string, signal: AbortSignal): Promise<void> {
    const isCancelled = (): boolean => signal.aborted
    for (let attempts = 0; !isCancelled();) {
      const entry = store.get(id)
      if (!entry) return
      try {
        const { durationMs, sizeBytes } = await finish(store, entry, programs, signal)
        log.info({ recording: id, durationMs, sizeBytes }, 'a recording is ready')
        return
      } catch (error) {
        // A failure after a cancellation results from the cancellation.
        if (isCancelled()) return
        log.warn({ err: error, recording: id, attempts }, 'the file of a recording could not be created')
        const isFull = isDiskFull(error)
        if (!isFull) attempts += 1
        if (error instanceof NothingRecorded || attempts >= maxAttempts) return fail(entry, error)
        await rm(`${store.videoPath(id)}.new`, { force: true })
        if (isFull) await waitForSpace(id, signal)
        else await pause(times.retry * attempts, signal)
      }
    }
  }

  function fail(entry: Entry, error: unknown): void {
    const failure = error instanceof Error ? error.message : String(error)
    const failed: Entry = { ...entry, status: 'failed', endedAt: entry.endedAt ?? Date.now(), failure }
    // The status is changed in memory first, which works even when the disk is full.
    store.keepInMemory(failed)
    store.save(failed)
  }

  /** Waits until the disk has space for the file, which is about as large as the recording. */
  async function waitForSpace(id: string, signal: AbortSignal): Promise<void> {
    for (let waited = 0; waited < times.full && !signal.aborted; waited += times.spaceCheck) {
      await pause(times.spaceCheck, signal)
      if ((await store.free()) > store.sizeOf(id)) return
    }
  }

  return {
    add(id) {
      const entry = store.get(id)
      if (isClosed || !entry) return
      const isLong = store.sizeOf(id) >= longBytes
      waiting.set(id, { owner: ownerOf(entry), isLong })
      work()
    },
    async cancel(id) {
      waiting.delete(id)
      const job = current.get(id)
      job?.control.abort()
      await job?.done
    },
    async close() {
      isClosed = true
      waiting.clear()
      const running = [...current.values()]
      for (const { control } of running) control.abort()
      await Promise.all(running.map(({ done }) => done))
    },
  }
}
