/** APKs of the library: streamed to the storage, parsed, and removed when no app uses them. */
import { ApiError, newId, Progress } from '@phonerack/shared'
import { apkFactsSchema, InvalidApk, type ApkFacts } from '../apps/apk/facts.js'
import { inspectApk } from '../apps/apk/inspect.js'
import { inTransaction } from '../../base/db/database.js'
import { type LibraryFile } from '../../gen/prisma/client.js'
import { type Core } from '../../base/core/core.js'
import { StorageFull, type FileStore } from '../storage/file-store.js'
import { takeIn, throwAway, toRefusal } from '../uploads/incoming.js'
import { type IncomingFile } from '../uploads/types.js'
import { addFileDelete } from '../storage/deletions.js'

/** Milliseconds for which a file may wait for its app. */
const waitingMs = 3_600_000
/** Deletions per round. */
const batch = 200

export const factsOf = (file: Pick<LibraryFile, 'facts'>): ApkFacts => apkFactsSchema.parse(file.facts)

/**
 * Stores one APK, a base or a split. @throws ApiError invalid_apk, payload_too_large, storage_full,
 * platform_not_configured; validation_failed for an interrupted or slow upload
 */
export async function takeLibraryFile(
  core: Core,
  store: FileStore,
  file: IncomingFile,
): Promise<{ file: string; sha256: string; facts: ApkFacts }> {
  if (!store.isConfigured) throw new ApiError('platform_not_configured')
  const { fileBytes, sendWithinMs } = core.rules.uploads
  const isHopeless = file.declaredBytes !== null && file.declaredBytes > fileBytes
  if (!isHopeless && !(await store.hasRoomFor(file.declaredBytes ?? fileBytes)))
    throw new ApiError('storage_full')
  const id = newId('file')
  await core.db.libraryFile.create({ data: { id, createdAt: core.clock.now() } })
  try {
    const { sizeBytes, sha256 } = await takeIn(
      file.stream,
      fileBytes,
      Progress.for(sendWithinMs),
      isHopeless ? throwAway : (bytes) => store.put(id, bytes),
    )
    if (isHopeless || sha256 === null)
      throw new ApiError('payload_too_large', { details: { limit_bytes: fileBytes } })
    const facts = await store.withLocalFile(id, (path) => inspectApk(path))
    await core.db.libraryFile.update({ where: { id }, data: { sizeBytes, sha256, facts } })
    return { file: id, sha256, facts }
  } catch (error) {
    await dropFiles(core, [id])
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof StorageFull) return new ApiError('storage_full', { cause: error })
  if (error instanceof InvalidApk)
    return new ApiError('invalid_apk', {
      next: error.message,
      details: { reason: error.message },
      cause: error,
    })
  return toRefusal(error)
}

/** Removes the given files that no app uses. */
async function dropFiles(core: Core, ids: readonly string[]): Promise<void> {
  await inTransaction(core.db, async (tx) => {
    for (const id of ids) {
      const { count } = await tx.libraryFile.deleteMany({ where: { id, package: null } })
      if (count > 0) await addFileDelete(tx, id)
    }
  })
}

/** Removes files that no app used within an hour. Every replica calls it periodically. */
export async function expireLibraryFiles(core: Core): Promise<void> {
  const before = new Date(core.clock.now().getTime() - waitingMs)
  const due = await core.db.libraryFile.findMany({
    where: { package: null, createdAt: { lt: before } },
    select: { id: true },
    take: batch,
  })
  if (due.length > 0)
    await dropFiles(
      core,
      due.map(({ id }) => id),
    )
}
