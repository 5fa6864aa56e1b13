/** The stored picture of a step, for exports. */
import { StoredFileMissing, type FileStore } from '../../files/storage/file-store.js'
import { type StepRow } from './reads.js'

/** Base64; null: the step has no picture, or the picture's file is missing. */
export async function pictureData(store: FileStore, { pictureId }: StepRow): Promise<string | null> {
  if (pictureId === null) return null
  try {
    const chunks: Buffer[] = []
    for await (const chunk of await store.read(pictureId)) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('base64')
  } catch (error) {
    if (error instanceof StoredFileMissing) return null
    throw error
  }
}
