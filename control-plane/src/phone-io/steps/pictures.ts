/** Stores pictures of steps in the file store. */
import { newId, pause, type ObservationScreenshot } from '@phonerack/shared'
import { Readable } from 'node:stream'
import { type Core } from '../../base/core/core.js'
import { addFileDelete } from '../../files/storage/deletions.js'
import { type FileStore } from '../../files/storage/file-store.js'
import { type StepPicture } from './types.js'

/** Milliseconds after which a picture without a step is deleted. */
const unusedMs = 3600_000

interface DecodedPicture extends StepPicture {
  bytes: Buffer
}

export const decodePicture = ({
  format,
  width,
  height,
  scale,
  data,
}: ObservationScreenshot): DecodedPicture => {
  const bytes = Buffer.from(data, 'base64')
  return { format, width, height, scale, sizeBytes: bytes.length, bytes }
}

export type KeptPicture = StepPicture & { storageId: string }

export interface Pictures {
  /**
   * Does not fail, so that the batch does not fail either. Returns null when the picture could not be stored
   * within `storedWithinMs`.
   */
  keep(picture: DecodedPicture): Promise<KeptPicture | null>
}

/** Milliseconds for storing a picture. They leave time for the row within `limits.steps.recordWait`. */
const storedWithinMs = 1500

/** Pictures in transit. The limit keeps a storage that does not answer from filling the memory. */
const mostInTransit = 50

export function createPictures(
  { clock, db, log }: Pick<Core, 'clock' | 'db' | 'log'>,
  store: FileStore,
): Pictures {
  let inTransit = 0

  const put = async (storageId: string, bytes: Buffer): Promise<boolean> => {
    inTransit += 1
    try {
      if (!(await store.hasRoomFor(bytes.length))) return false
      // Deletes the file an hour later unless a step names it, so that a killed replica, or a row that cannot
      // be written, leaves no picture. The end of the step replaces the job.
      await addFileDelete(db, storageId, new Date(clock.now().getTime() + unusedMs))
      await store.put(storageId, Readable.from([bytes]))
      return true
    } catch (error) {
      log.warn({ err: error }, 'could not store the picture of a step')
      return false
    } finally {
      inTransit -= 1
    }
  }

  return {
    async keep({ bytes, ...picture }) {
      if (!store.isConfigured || inTransit >= mostInTransit) return null
      const storageId = newId('file')
      const late = new AbortController()
      const isInTime = await Promise.race([
        put(storageId, bytes),
        pause(storedWithinMs, late.signal).then(() => null),
      ])
      late.abort()
      if (isInTime === null)
        log.warn({ file: storageId }, 'Postgres or the storage was too slow for the picture of a step')
      return isInTime ? { ...picture, storageId } : null
    },
  }
}
