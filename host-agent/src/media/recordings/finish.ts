/**
 * Converts the complete part of an ended recording's file to its video. The conversion can be repeated after
 * a crash. Used by `conversion-queue.ts`.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rename, rm, stat, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { makeMp4, probe, type Programs } from './ffmpeg.js'
import { readContents } from './flv.js'
import type { Entry, RecordingStore } from './store.js'

/** The file contains no picture. */
export class NothingRecorded extends Error {
  constructor() {
    super('no picture was recorded')
    this.name = 'NothingRecorded'
  }
}

/** Returns the entry with status `ready`. @throws ProgramFailed, NothingRecorded */
export async function finish(
  store: RecordingStore,
  entry: Entry,
  { ffmpeg, ffprobe }: Programs,
  stopping: AbortSignal,
): Promise<Entry> {
  const raw = store.rawPath(entry.id)
  const contents = await readContents(raw)
  if (contents.pictures === 0) throw new NothingRecorded()
  await truncate(raw, contents.completeBytes)
  const video = store.videoPath(entry.id)
  const partial = `${video}.new`
  const input = {
    from: raw,
    to: partial,
    lastPictureMs: contents.lastPictureMs,
    endMs: contents.endMs,
    isUniform: contents.configurations === 1,
    canvas: entry.canvas,
  }
  await makeMp4(ffmpeg, input, stopping)
  const { durationMs } = await probe(ffprobe, partial, stopping)
  const hash = createHash('sha256')
  await pipeline(createReadStream(partial), hash, { signal: stopping })
  await rename(partial, video)
  const { size } = await stat(video)
  const ready = store.save({
    ...entry,
    status: 'ready',
    endedAt: entry.startedAt + contents.endMs,
    durationMs,
    sizeBytes: size,
    sha256: hash.digest('hex'),
  })
  await rm(raw, { force: true })
  return ready
}
