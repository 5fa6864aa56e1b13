/**
 * Makes the video of a recording that has ended, however it did: from what stands whole in its file. Safe to do again after
 * any crash in the middle. Used by `recordings.ts`.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rename, rm, stat, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { makeMp4, probe, type Programs } from './ffmpeg.js'
import { readContents } from './flv.js'
import type { Entry, Shelf } from './shelf.js'

/** There is nothing that a video could be made of. */
export class NothingRecorded extends Error {
  constructor() {
    super('no picture was recorded')
    this.name = 'NothingRecorded'
  }
}

/** The entry as it is ready. @throws ProgramFailed, NothingRecorded */
export async function finish(
  shelf: Shelf,
  entry: Entry,
  { ffmpeg, ffprobe }: Programs,
  stopping: AbortSignal,
): Promise<Entry> {
  const tape = shelf.tapePath(entry.id)
  const contents = await readContents(tape)
  if (contents.pictures === 0) throw new NothingRecorded()
  await truncate(tape, contents.wholeBytes)
  const video = shelf.videoPath(entry.id)
  const beside = `${video}.new`
  const take = {
    from: tape,
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
  const ready = shelf.save({
    ...entry,
    status: 'ready',
    endedAt: entry.startedAt + contents.endMs,
    durationMs,
    sizeBytes: size,
    sha256: hash.digest('hex'),
  })
  await rm(tape, { force: true })
  return ready
}
