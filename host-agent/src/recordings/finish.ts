/**
 * Makes the video of an ended recording from the complete part of its file. Safe to
 * repeat after any crash. Used by `recordings.ts`.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rename, rm, stat, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { makeMp4, probe, type Programs } from './ffmpeg.js'
import { readContents } from './flv.js'
import type { Entry, RecordingStore } from './store.js'

/** The file holds nothing to make a video from. */
export class NothingRecorded extends Error {
  constructor() {
    super('no picture was recorded')
    this.name = 'NothingRecorded'
  }
}

/** The entry once it is ready. @throws ProgramFailed, NothingRecorded */
export async function finish(
  store: RecordingStore,
  entry: Entry,
  { ffmpeg, ffprobe }: Programs,
  stopping: AbortSignal,
): Promise<Entry> {
  const raw = store.rawPath(entry.id)
  const contents = await readContents(raw)
  if (contents.pictures === 0) throw new NothingRecorded()
  await truncate(raw, contents.wholeBytes)
  const video = store.videoPath(entry.id)
  const beside = `${video}.new`
  const take = {
    from: raw,
    to: beside,
    lastPictureMs: contents.lastPictureMs,
    endMs: contents.endMs,
    isUniform: contents.configurations === 1,
    canvas: entry.canvas,
  }
  await makeMp4(ffmpeg, take, stopping)
  const { durationMs } = await probe(ffprobe, beside, stopping)
  const hash = createHash('sha256')
  await pipeline(createReadStream(beside), hash, { signal: stopping })
  await rename(beside, video)
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
