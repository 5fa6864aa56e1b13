/** Pictures of steps in the file store. */
import { newId, pause, type ObservationScreenshot } from '@phonerack/shared'
import { Readable } from 'node:stream'
import { type Core } from '../core/core.js'
import { type FileStore } from '../storage/file-store.js'
import { type StepPicture } from './types.js'

export interface DecodedPicture extends StepPicture {
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
   * Does not fail, so that the batch does not. Returns null when the picture could not be stored within `storedWithinMs`.
   */
  keep(picture: DecodedPicture): Promise<KeptPicture | null>
}

/** Milliseconds. They leave time for the row within `limits.steps.recordWait`. */
const storedWithinMs = 1500

/** Pictures that are in transit: a storage that does not answer must not fill the memory. */
const mostInTransit = 50

export function createPictures({ log }: Pick<Core, 'log'>, store: FileStore): Pictures {
  let inTransit = 0

  const put = async (storageId: string, bytes: Buffer): Promise<boolean> => {
    inTransit += 1
    try {
      if (!(await store.hasRoomFor(bytes.length))) return false
      await store.put(storageId, Readable.from([bytes]))
      return true
    } catch (error) {
      log.warn({ err: error }, 'could not store the picture of a step')
      return false
    } finally {
      inTransit -= 1
    }
  }
  /** No row has its ID. */
  const remove = async (storageId: string): Promise<void> => {
    try {
      await store.delete(storageId)
    } catch (error) {
      log.warn({ err: error, file: storageId }, 'could not delete a picture that was stored too late')
    }
  }

  return {
    async keep({ bytes, ...picture }) {
      if (!store.isConfigured || inTransit >= mostInTransit) return null
      const storageId = newId('file')
      const stored = put(storageId, bytes)
      const late = new AbortController()
      const isInTime = await Promise.race([stored, pause(storedWithinMs, late.signal).then(() => null)])
      late.abort()
      if (isInTime === null) {
        log.warn({ file: storageId }, 'the storage was too slow for the picture of a step')
        void stored.then((isStored) => (isStored ? remove(storageId) : undefined))
      }
      return isInTime ? { ...picture, storageId } : null
    },
  }
}
