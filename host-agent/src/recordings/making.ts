/**
 * Makes the files of ended recordings: one at a time per owner and few at a time
 * overall, since phones have priority, with retries. Used by `recordings.ts`.
 */
import { rm } from 'node:fs/promises'
import { type Logger, pause } from '@phonerack/shared'
import { isFull, type Programs } from './ffmpeg.js'
import { finish, NothingRecorded } from './finish.js'
import { ownerOf, type Entry, type RecordingStore } from './store.js'

export interface Making {
  /** Queues it; a file that cannot be made ends as a `failed` entry. */
  add(id: string): void
  /** Once this returns, nothing more is written for it. */
  cancel(id: string): Promise<void>
  /** Cancels all, including later additions: the next agent process makes them. */
  close(): Promise<void>
}

/**
 * Milliseconds: between attempts; between checks for space, and until it is attempted
 * without enough space.
 */
const times = { again: 2000, room: 2000, full: 60_000 }
/** Attempts to make a file of a recording, not counting a full disk. */
const mostTries = 5

/**
 * Files made concurrently, and how many of them may be long: a short one never waits
 * for hours of another owner's.
 */
const mostAtOnce = 4
const mostLong = 3
/** Bytes from which a recording is long: about half an hour. */
const longBytes = 200_000_000

interface Job {
  owner: string
  isLong: boolean
}

interface Running extends Job {
  control: AbortController
  done: Promise<void>
}

export function createMaking(store: RecordingStore, programs: Programs, log: Logger): Making {
  /** By id, in order of arrival: the waiting jobs, and the running ones. */
  const waiting = new Map<string, Job>()
  const current = new Map<string, Running>()
  let isClosed = false

  /** The oldest job whose owner has none running, when a slot is free. */
  function next(): [string, Job] | null {
    const running = [...current.values()]
    if (running.length >= mostAtOnce) return null
    const isLongFull = running.filter(({ isLong }) => isLong).length >= mostLong
    for (const [id, job] of waiting) {
      if (running.some(({ owner }) => owner === job.owner)) continue
      if (!(job.isLong && isLongFull)) return [id, job]
    }
    return null
  }

  function work(): void {
    for (let found = next(); found; found = next()) {
      const [id, job] = found
      waiting.delete(id)
      const control = new AbortController()
      const done = take(id, control.signal).then(() => {
        current.delete(id)
        work()
      })
      current.set(id, { ...job, control, done })
    }
  }

  async function take(id: string, signal: AbortSignal): Promise<void> {
    try {
      await make(id, signal)
    } catch (error) {
      log.error({ err: error, recording: id }, 'a recording could not be processed')
    }
  }

  async function make(id: string, signal: AbortSignal): Promise<void> {
    const isCancelled = (): boolean => signal.aborted
    for (let tries = 0; !isCancelled();) {
      const entry = store.get(id)
      if (!entry) return
      try {
        const { durationMs, sizeBytes } = await finish(store, entry, programs, signal)
        log.info({ recording: id, durationMs, sizeBytes }, 'a recording is ready')
        return
      } catch (error) {
        // A failure after cancelling is caused by it.
        if (isCancelled()) return
        log.warn({ err: error, recording: id, tries }, 'could not create the file of a recording')
        const wantsRoom = isFull(error)
        if (!wantsRoom) tries += 1
        if (error instanceof NothingRecorded || tries >= mostTries) return fail(entry, error)
        await rm(`${store.videoPath(id)}.new`, { force: true })
        if (wantsRoom) await room(id, signal)
        else await pause(times.again * tries, signal)
      }
    }
  }

  function fail(entry: Entry, error: unknown): void {
    const failure = error instanceof Error ? error.message : String(error)
    const failed: Entry = { ...entry, status: 'failed', endedAt: entry.endedAt ?? Date.now(), failure }
    // In memory even when the disk is full.
    store.keep(failed)
    store.save(failed)
  }

  /** Waits until there may be space for the file, which is about as large as the recording. */
  async function room(id: string, signal: AbortSignal): Promise<void> {
    for (let waited = 0; waited < times.full && !signal.aborted; waited += times.room) {
      await pause(times.room, signal)
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
