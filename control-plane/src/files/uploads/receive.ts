/** The one-time upload URL: one sender at a time claims its token, and only a complete file uses up the URL. */
import { ApiError, hashSecret, isSecret, newId, Progress } from '@phonerack/shared'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { type Prisma, type Upload } from '../../gen/prisma/client.js'
import { StorageFull } from '../storage/file-store.js'
import { type UploadCore } from './core.js'
import { takeIn, throwAway, toRefusal, type Arrival } from './incoming.js'
import { dropFile } from './records.js'
import { noRoom, roomLock, waitingBytes } from './waiting.js'
import { type IncomingFile } from './types.js'
import { addFileDelete } from '../storage/deletions.js'

/**
 * Milliseconds that a claim outlasts the time for sending, because the holder of the claim must still record the end.
 */
const claimGraceMs = 30_000

interface Claim {
  uploadId: string
  storageId: string
}

export async function receiveFile(
  uploads: UploadCore,
  token: string,
  file: IncomingFile,
  signal: AbortSignal,
): Promise<{ storageId: string }> {
  const { core, store } = uploads
  const { fileBytes, sendWithinMs } = core.rules.uploads
  const claim = await claimUrl(uploads, token, file.declaredBytes)
  try {
    const isHopeless = file.declaredBytes !== null && file.declaredBytes > fileBytes
    const keep = store.isConfigured && !isHopeless
    const progress = Progress.for(sendWithinMs, signal)
    const arrival = await takeIn(
      file.stream,
      fileBytes,
      progress,
      keep ? (bytes) => store.put(claim.storageId, bytes) : throwAway,
    )
    const isStored = keep && arrival.sha256 !== null
    await arrive(uploads, claim, { ...arrival, isStored })
    return { storageId: claim.storageId }
  } catch (error) {
    await giveBack(uploads, claim)
    throw error instanceof StorageFull ? noRoom(error) : toRefusal(error)
  }
}

const urlNotFound = (): ApiError =>
  new ApiError('upload_not_found', {
    message: 'The upload URL is unknown, has expired, or has already received its file.',
    next: 'POST /v1/apps/uploads',
  })

/** Selects uploads whose URL still accepts a file. */
export const openUrl = (now: Date) =>
  ({ status: 'awaiting_file', arrivedAt: null, expiresAt: { gt: now } }) satisfies Prisma.UploadWhereInput

/** @throws ApiError upload_not_found, or upload_not_ready while another file is arriving */
function checkFree(upload: Upload | null, now: Date): asserts upload is Upload {
  if (upload?.status !== 'awaiting_file' || upload.arrivedAt !== null || upload.expiresAt <= now)
    throw urlNotFound()
  if (upload.claimUntil !== null && upload.claimUntil > now)
    throw new ApiError('upload_not_ready', {
      message: 'Another file is arriving at this URL.',
      next: `Wait until the other file has arrived: GET /v1/apps/uploads/${upload.id}`,
      retryable: true,
      details: { status: upload.status },
    })
}

/**
 * Claims the URL for this sender, and reserves space for the file. The space is locked only for an available URL, so
 * that a client with a wrong token cannot delay others.
 */
async function claimUrl(uploads: UploadCore, token: string, declaredBytes: number | null): Promise<Claim> {
  const { core, store } = uploads
  if (!isSecret('upload', token)) throw urlNotFound()
  const tokenHash = hashSecret(token)
  checkFree(await core.db.upload.findUnique({ where: { tokenHash } }), core.clock.now())
  const { fileBytes, sendWithinMs } = core.rules.uploads
  // An oversized file is not stored, so it needs no space.
  const promised = declaredBytes ?? fileBytes
  const bytes = promised > fileBytes ? 0 : promised
  const isRoom = await store.hasRoomFor(bytes)
  return inTransaction(core.db, async (tx) => {
    await tx.$queryRaw`select pg_advisory_xact_lock(${roomLock}) is null as locked`
    const upload = await lockByToken(tx, tokenHash)
    const now = core.clock.now()
    checkFree(upload, now)
    const waiting = await waitingBytes(tx, upload.projectId, now)
    const { waitingBytes: maxOfAll, projectWaitingBytes: maxOfProject } = core.rules.uploads
    if (!isRoom || waiting.all + bytes > maxOfAll || waiting.project + bytes > maxOfProject) throw noRoom()
    // The earlier claim may be of a killed process, whose partial file is removed.
    await dropFile(tx, upload)
    const storageId = newId('file')
    const claimUntil = new Date(now.getTime() + sendWithinMs + claimGraceMs)
    await tx.upload.update({ where: { id: upload.id }, data: { storageId, claimUntil, sizeBytes: bytes } })
    return { uploadId: upload.id, storageId }
  })
}

async function lockByToken(tx: Tx, tokenHash: string): Promise<Upload | null> {
  await tx.$queryRaw`select 1 from uploads where token_hash = ${tokenHash} for update`
  return tx.upload.findUnique({ where: { tokenHash } })
}

/**
 * Uses up the URL. @throws ApiError upload_not_found if another sender has claimed the URL, or it has since expired
 */
async function arrive(
  { core }: UploadCore,
  { uploadId, storageId }: Claim,
  file: Arrival & { isStored: boolean },
): Promise<void> {
  const now = core.clock.now()
  const { count } = await core.db.upload.updateMany({
    where: { id: uploadId, storageId, status: 'awaiting_file', arrivedAt: null, expiresAt: { gt: now } },
    data: {
      arrivedAt: now,
      claimUntil: null,
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
      isStored: file.isStored,
    },
  })
  if (count === 0) throw urlNotFound()
}

/** Releases the URL for another attempt, and removes the file. */
async function giveBack({ core }: UploadCore, { uploadId, storageId }: Claim): Promise<void> {
  await inTransaction(core.db, async (tx) => {
    await tx.upload.updateMany({
      where: { id: uploadId, storageId, arrivedAt: null },
      data: { storageId: null, claimUntil: null, sizeBytes: null },
    })
    await addFileDelete(tx, storageId)
  })
}
