/**
 * Makes the files of recordings that have ended: one at a time, since phones come first, and as often as it takes. Used by
 * `recordings.ts`.
 */
import { rm } from 'node:fs/promises'
import type { Logger } from '@phonerack/shared'
import { pause } from '../pause.js'
import { isFull, type Programs } from './ffmpeg.js'
import { finish, NothingRecorded } from './finish.js'
import type { Entry, Shelf } from './shelf.js'

export interface Making {
  /** In its turn; a file that cannot be made ends as a `failed` entry. */
  add(id: string): void
  /** Nothing is written for it any more when this returns. */
  cancel(id: string): Promise<void>
  /** Cancels all, and what is added from now on: the next agent makes them. */
  close(): Promise<void>
}

/** Milliseconds: between tries; between two looks for room, and until it is tried without. */
const times = { again: 2000, room: 2000, full: 60_000 }
/** Tries to make a file of a recording, but for want of room. */
const mostTries = 5

interface Job {
  control: AbortController
  done: Promise<void>
}

export function createMaking(shelf: Shelf, programs: Programs, log: Logger): Making {
  const jobs = new Map<string, Job>()
  let current: string | null = null
  let last: Promise<void> = Promise.resolve()
  let isClosed = false

  async function take(id: string, signal: AbortSignal): Promise<void> {
    current = id
    try {
      await make(id, signal)
    } catch (error) {
      log.error({ err: error, recording: id }, 'a recording could not be cared for')
    } finally {
      current = null
    }
  }

  async function make(id: string, signal: AbortSignal): Promise<void> {
    const isCancelled = (): boolean => signal.aborted
    for (let tries = 0; !isCancelled();) {
      const entry = shelf.get(id)
      if (!entry) return
      try {
        const { durationMs, sizeBytes } = await finish(shelf, entry, programs, signal)
        log.info({ recording: id, durationMs, sizeBytes }, 'a recording is ready')
        return
      } catch (error) {
        // Whatever failed then failed because of it.
        if (isCancelled()) return
        log.warn({ err: error, recording: id, tries }, 'the file of a recording could not be made')
        const wantsRoom = isFull(error)
        if (!wantsRoom) tries += 1
        if (error instanceof NothingRecorded || tries >= mostTries) return fail(entry, error)
        await rm(`${shelf.videoPath(id)}.new`, { force: true })
        if (wantsRoom) await room(id, signal)
        else await pause(times.again * tries, signal)
      }
    }
  }

  function fail(entry: Entry, error: unknown): void {
    const failure = error instanceof Error ? error.message : String(error)
    const failed: Entry = { ...entry, status: 'failed', endedAt: entry.endedAt ?? Date.now(), failure }
    // Told also when the disk does not take it.
    shelf.keep(failed)
    shelf.save(failed)
  }

  /** Until there may be room for the file, which is about as large as what was recorded. */
  async function room(id: string, signal: AbortSignal): Promise<void> {
    for (let waited = 0; waited < times.full && !signal.aborted; waited += times.room) {
      await pause(times.room, signal)
      if ((await shelf.free()) > shelf.sizeOf(id)) return
    }
  }

  return {
    add(id) {
      if (isClosed) return
      const control = new AbortController()
      const done = last.then(() => (control.signal.aborted ? undefined : take(id, control.signal)))
      const job = { control, done }
      jobs.set(id, job)
      last = done.finally(() => {
        if (jobs.get(id) === job) jobs.delete(id)
      })
    },
    async cancel(id) {
      const job = jobs.get(id)
      job?.control.abort()
      if (current === id) await job?.done
    },
    async close() {
      isClosed = true
      for (const { control } of jobs.values()) control.abort()
      await last
    },
  }
}
