/** Pictures of steps in the file store. */
import { newId, type ObservationScreenshot } from '@phonerack/shared'
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

export interface Pictures {
  /** Returns null when it could not be stored. A failed write must not fail the batch. */
  keep(picture: DecodedPicture): Promise<(StepPicture & { storageId: string }) | null>
}

export const createPictures = ({ log }: Core, store: FileStore): Pictures => ({
  async keep({ bytes, ...picture }) {
    if (!store.isConfigured || !(await store.hasRoomFor(bytes.length))) return null
    const storageId = newId('file')
    try {
      await store.put(storageId, Readable.from([bytes]))
      return { ...picture, storageId }
    } catch (error) {
      log.warn({ err: error }, 'could not store the picture of a step')
      return null
    }
  },
})
