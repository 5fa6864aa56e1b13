/**
 * Recordings of this host's phones, one at a time per phone. A recording ends when the control plane stops
 * it, when its assignment or the video ends, or when the disk is full. Its file is kept until the control
 * plane drops it. Used by `grpc/`.
 */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { ApiError, isId, type Logger, type Progress, onAbort } from '@phonerack/shared'
import type { Capture, CaptureSubscription } from '../../adb/device/capture.js'
import { later } from '../../base/later.js'
import type { Caller } from '../../devices/gate.js'
import { recordingBegan, recordingEnded } from '../../base/metrics/instruments.js'
import { missingProgram, type Programs } from './ffmpeg.js'
import { createConversionQueue, type conversionTimes } from './conversion-queue.js'
import { hasSpace } from './share.js'
import { ownerOf, type Entry, type RecordingStore } from './store.js'
import { RecordingWriter } from './writer.js'

export type DeviceCaller = Caller & { serial: string }

/** The video of a phone that is assigned to the caller. */
export interface Video {
  capture: Capture
  /** Aborts when the phone is parked, restarted or reassigned. */
  held: AbortSignal
}

export interface RecordingsParts {
  /** @throws ApiError when the phone is not assigned to the caller; feature_unavailable */
  videoOf(caller: DeviceCaller, progress: Progress): Promise<Video>
  store: RecordingStore
  programs: Programs
  /**
   * Bytes: for all recordings together (`share.ts` divides them among owners), and the free disk space to
   * keep.
   */
  limits: { bytes: number; minFree: number }
  log: Logger
  /** Milliseconds on a monotonic clock. */
  now?: () => number
  /** Milliseconds between attempts of a conversion; for tests. */
  conversionTimes?: typeof conversionTimes
}

export interface Recordings {
  /**
   * Starts a recording. Returns the time of the first picture once the picture is written. Can be repeated
   * with the same ID.
   * @throws ApiError recording_in_progress, feature_unavailable, provider_error without space,
   * provider_timeout
   */
  start(caller: DeviceCaller, id: string, progress: Progress): Promise<Date>
  /** Ends a running recording and queues its conversion. @throws ApiError recording_not_found */
  stop(id: string): Promise<Entry>
  /** @throws ApiError recording_not_found */
  get(id: string): Entry
  /** Returns the bytes that the recording uses on disk now. */
  sizeOf(id: string): number
  /** Opens the video of a ready recording. @throws ApiError recording_not_found, recording_not_ready */
  read(id: string): Readable
  /** Ends a running recording, and deletes all its files. */
  drop(id: string): Promise<void>
  /** Ends running recordings; the next agent process converts them. */
  close(): Promise<void>
}

/**
 * Milliseconds: the limit for the first picture, and the time for which a recording is kept that the control
 * plane has not fetched.
 */
const times = { firstPicture: 15_000, kept: 8 * 86_400_000 }

interface Running {
  serial: string
  writer: RecordingWriter
  subscription: CaptureSubscription | null
  over: Promise<void>
}

export function createRecordings(parts: RecordingsParts): Recordings {
  const { store, log, programs } = parts
  const now = parts.now ?? (() => performance.now())
  const conversions = createConversionQueue(store, programs, log, parts.conversionTimes)
  const running = new Map<string, Running>()
  /** Recordings that are being dropped, for which no new work starts. */
  const dropping = new Set<string>()
  /** The check of ffmpeg, which runs on first use. */
  let missing: Promise<string | null> | null = null
  for (const { id, status, startedAt } of store.all()) {
    if (Date.now() - startedAt > times.kept) void store.remove(id).catch(report(id))
    else if (status === 'recording' || status === 'processing') enqueueConversion(id)
  }

  function report(id: string) {
    return (error: unknown) => log.error({ err: error, recording: id }, 'a recording could not be processed')
  }

  function find(id: string): Entry {
    const entry = store.get(id)
    if (!entry) throw new ApiError('recording_not_found')
    return entry
  }

  /**
   * Queues the conversion of an ended recording. The status is not saved, so this works
   * on a full disk: after a restart, the agent converts `recording` entries too.
   */
  function enqueueConversion(id: string): void {
    store.keepInMemory({ ...find(id), status: 'processing' })
    conversions.add(id)
  }

  /**
   * Returns why an owner cannot use `bytes` more; null when the owner can. A running recording passes its written
   * bytes, because the converted file needs the same space again.
   */
  async function storageProblem(owner: string, bytes: number): Promise<string | null> {
    if (!hasSpace(store.used(), owner, bytes, parts.limits.bytes))
      return "the recordings of this phone's owner use their full share of the host's storage"
    if ((await store.free()) - bytes < parts.limits.minFree) return "the host's disk is full"
    return null
  }

  async function begin(caller: DeviceCaller, id: string, progress: Progress): Promise<Date> {
    missing ??= missingProgram(programs)
    const lack = await missing
    if (lack !== null) log.warn({ reason: lack }, 'this host cannot record')
    if (lack !== null) throw new ApiError('feature_unavailable', { details: { feature: 'recordings' } })
    const full = await storageProblem(ownerOf(caller), 0)
    if (full !== null)
      throw new ApiError('provider_error', {
        message: 'The host has no storage for another recording.',
        details: { reason: full },
      })
    const { capture, held } = await parts.videoOf(caller, progress)
    for (const [other, { serial }] of running)
      if (serial === caller.serial)
        throw new ApiError('recording_in_progress', { details: { recording: other } })
    return record(caller, id, { capture, held }, progress)
  }

  function record(
    caller: DeviceCaller,
    id: string,
    { capture, held }: Video,
    progress: Progress,
  ): Promise<Date> {
    if (dropping.has(id)) throw new ApiError('recording_not_found')
    const first = later<Date>()
    let canvas = { width: 0, height: 0 }
    const writer = new RecordingWriter({
      path: store.rawPath(id),
      now,
      limit: (bytes) => storageProblem(ownerOf(caller), bytes),
      onBegin() {
        const startedAt = Date.now()
        const isSaved = saveOrEnd({
          id,
          serial: caller.serial,
          phoneId: caller.phoneId,
          tenant: caller.tenant,
          status: 'recording',
          startedAt,
          canvas,
          endedAt: null,
          durationMs: 0,
          sizeBytes: 0,
          sha256: '',
          failure: '',
        })
        if (isSaved) first.resolve(new Date(startedAt))
      },
      onSize({ width, height }) {
        canvas = { width: Math.max(canvas.width, width), height: Math.max(canvas.height, height) }
        const entry = store.get(id)
        if (!entry) return
        store.keepInMemory({ ...entry, canvas })
        saveOrEnd({ ...entry, canvas })
      },
    })
    /** Never throws, since its caller is the capture, which also serves viewers. */
    function saveOrEnd(entry: Entry): boolean {
      try {
        store.save(entry)
        return true
      } catch (error) {
        writer.end(`the disk refused: ${error instanceof Error ? error.message : String(error)}`)
        return false
      }
    }
    const forget = onAbort(held, () => writer.end('the phone was parked, restarted or reassigned'))
    const entry: Running = {
      serial: caller.serial,
      writer,
      subscription: null,
      over: writer.ended.then(async (reason) => {
        forget()
        entry.subscription?.close()
        running.delete(id)
        recordingEnded()
        const known = store.get(id)
        log.info({ recording: id, reason, bytes: writer.bytes }, 'a recording has ended')
        // The video ended before the first picture.
        if (!known) return store.remove(id)
        if (dropping.has(id)) return
        store.keepInMemory({ ...known, endedAt: Date.now() })
        enqueueConversion(id)
      }),
    }
    entry.over.catch(report(id))
    running.set(id, entry)
    recordingBegan()
    return start()

    async function start(): Promise<Date> {
      try {
        const within = progress.within(times.firstPicture)
        const subscription = await capture.subscribe(writer, within)
        entry.subscription = subscription
        const at = await within.race('the first picture', () =>
          Promise.race([
            first.promise,
            writer.ended.then((reason) => {
              throw new ApiError('phone_unavailable', { message: `Nothing was recorded: ${reason}.` })
            }),
          ]),
        )
        // The video may have ended before the subscription could be closed.
        if (!running.has(id)) subscription.close()
        return at
      } catch (error) {
        if (!store.get(id)) writer.end('nothing came')
        entry.subscription?.close()
        throw error
      }
    }
  }

  /** Starts in progress, by ID. Repeated calls wait for the same start. */
  const beginning = new Map<string, Promise<Date>>()

  return {
    async start(caller, id, progress) {
      if (!isId('recording', id))
        throw new ApiError('validation_failed', { message: 'Not a valid recording ID.' })
      const known = store.get(id)
      if (known) return new Date(known.startedAt)
      const same = beginning.get(id)
      if (same) return progress.race('the first picture', () => same)
      const mine = begin(caller, id, progress).finally(() => beginning.delete(id))
      beginning.set(id, mine)
      return mine
    },

    async stop(id) {
      find(id)
      const entry = running.get(id)
      entry?.writer.end('the recording was stopped')
      await entry?.over
      return find(id)
    },

    get: find,
    sizeOf: (id) => store.sizeOf(id),

    read(id) {
      const { status } = find(id)
      if (status !== 'ready') throw new ApiError('recording_not_ready')
      return createReadStream(store.videoPath(id))
    },

    async drop(id) {
      if (!isId('recording', id)) return
      dropping.add(id)
      const begins = beginning.get(id)
      try {
        const entry = running.get(id)
        entry?.writer.end('the recording was discarded')
        await entry?.over
        await conversions.cancel(id)
        await store.remove(id)
      } finally {
        // The mark stays until a start in progress has been refused or has ended.
        if (begins) void begins.then(endDrop, endDrop)
        else endDrop()
      }
      function endDrop(): void {
        dropping.delete(id)
      }
    },

    async close() {
      const made = conversions.close()
      const all = [...running.values()]
      for (const { writer } of all) writer.end('the agent stopped')
      await Promise.allSettled(all.map(({ over }) => over))
      await made
    },
  }
}
