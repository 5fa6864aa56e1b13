/**
 * Reads and writes recordings in the database. A row is created before the host is asked, and removed when
 * the host refuses. A status only moves forward.
 */
import { ApiError, newId } from '@phonerack/shared'
import { inTransaction, type Reader, type Tx } from '../../base/db/database.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { type ReadyTarget } from '../../rental/phones/target.js'
import { type Recording } from '../../gen/prisma/client.js'
import { addJob } from '../../base/queue/queue.js'
import { type Core } from '../../base/core/core.js'
import { possibleBytes } from './possible.js'
import { type Caller } from '../../base/core/caller.js'
import { type RecordingStatus, type RecordingView } from './types.js'
import { addFileDelete } from '../../files/storage/deletions.js'

/** Statuses of recordings that have not ended, as far as the control plane knows. */
export const running = ['starting', 'recording'] as const
const unfinished = [...running, 'processing'] as const

export const recordingsRequest = (phoneId: string): string => `GET /v1/phones/${phoneId}/recordings`
export const recordingNotFound = (phoneId: string, id: string): ApiError =>
  new ApiError('recording_not_found', { details: { recording: id }, next: recordingsRequest(phoneId) })

export const isRunning = ({ status }: Recording): boolean => status === 'starting' || status === 'recording'
export const isKept = (recording: Recording, now: Date): boolean =>
  recording.status !== 'deleted' && recording.expiresAt > now

export const viewOf = (recording: Recording): RecordingView => ({
  id: recording.id,
  phone: recording.phoneId,
  name: recording.name,
  // The table's check constraint allows no other value; a deleted recording is never shown.
  status: recording.status === 'starting' ? 'recording' : (recording.status as RecordingStatus),
  startedAt: recording.startedAt,
  endedAt: recording.endedAt,
  durationMs: recording.durationMs,
  // While the recording is not stored, its size on its host.
  sizeBytes:
    recording.status !== 'ready' || recording.sizeBytes === null ? null : Number(recording.sizeBytes),
  expiresAt: recording.expiresAt,
})

/** @throws ApiError recording_not_found */
export async function findRecording(core: Core, phoneId: string, id: string): Promise<Recording> {
  const found = await core.db.recording.findUnique({ where: { id } })
  if (found?.phoneId !== phoneId || !isKept(found, core.clock.now())) throw recordingNotFound(phoneId, id)
  return found
}

/** Schedules the only job of a recording; without `ms`, immediately. */
export const addFetch = (tx: Tx, core: Core, id: string, ms = 0): Promise<void> =>
  addJob(
    tx,
    'recording.fetch',
    { recordingId: id },
    { key: `recording.fetch:${id}`, runAt: new Date(core.clock.now().getTime() + ms) },
  )

/**
 * Creates the row of a recording before its host is asked. `firstRunMs`: milliseconds until the job first runs,
 * even without a confirmation. Counts under the project's lock, so that replicas agree. @throws ApiError
 * recording_in_progress, recording_limit_reached
 */
export function admit(
  core: Core,
  caller: Caller,
  wanted: { phoneId: string; name: string | null; target: ReadyTarget; firstRunMs: number },
): Promise<Recording> {
  const { phoneId, name, target } = wanted
  const { perProject, projectBytes, lifeMs } = core.rules.recordings
  return inTenantTransaction(core, caller, async (tx) => {
    const { projectId } = caller
    await tx.$queryRaw`select 1 from projects where id = ${projectId} for update`
    const now = core.clock.now()
    const busy = await tx.recording.findFirst({ where: { phoneId, status: { in: [...running] } } })
    // A recording of an earlier assignment has ended with the assignment, even if the job has not noticed
    // yet.
    if (busy && busy.fencingNumber < target.fencingNumber) await markEnded(tx, core, busy)
    else if (busy)
      throw new ApiError('recording_in_progress', {
        details: { phone: phoneId, recording: busy.id },
        next: `POST /v1/phones/${phoneId}/recordings/${busy.id}/stop`,
      })
    const { kept, bytes } = await usedRoom(tx, projectId, now)
    if (kept >= perProject || bytes >= projectBytes)
      throw new ApiError('recording_limit_reached', {
        ...(kept >= perProject
          ? {}
          : { message: 'The project has reached its storage limit for recordings.' }),
        details: { limit: perProject, recordings: kept, limit_bytes: projectBytes, used_bytes: bytes },
        next: `Delete recordings that you do not need (${recordingsRequest(phoneId)}), then send the request again.`,
      })
    const id = newId('recording')
    await addFetch(tx, core, id, wanted.firstRunMs)
    return tx.recording.create({
      data: {
        id,
        projectId,
        phoneId,
        name,
        status: 'starting',
        storageId: newId('file'),
        hostId: target.hostId,
        fencingNumber: target.fencingNumber,
        startedAt: now,
        expiresAt: new Date(now.getTime() + lifeMs),
      },
    })
  })
}

/**
 * The number of a project's recordings and their bytes. The sizes of unfinished recordings are the sizes that
 * hosts last reported.
 */
export async function usedRoom(
  db: Reader,
  projectId: string,
  now: Date,
): Promise<{ kept: number; bytes: number }> {
  const rows = await db.$queryRaw<{ kept: bigint; bytes: bigint }[]>`select count(*) as kept,
    coalesce(sum(size_bytes), 0)::bigint as bytes from recordings
    where project_id = ${projectId} and status <> 'deleted' and expires_at > ${now}`
  return { kept: Number(rows[0]?.kept ?? 0n), bytes: Number(rows[0]?.bytes ?? 0n) }
}

/** Stores the size that the host reported, at most the size that is possible by now. */
export async function noteSize(core: Core, recording: Recording, reported: bigint): Promise<void> {
  const most = possibleBytes(recording.startedAt, core.clock.now())
  const bytes = reported < most ? reported : most
  if (recording.sizeBytes === bytes) return
  await core.db.recording.updateMany({
    where: { id: recording.id, status: { in: [...unfinished] } },
    data: { sizeBytes: bytes },
  })
}

/** Stores that the host confirmed a stop but still records. */
export async function noteStopAsked(core: Core, id: string): Promise<void> {
  await core.db.recording.updateMany({
    where: { id, stopAskedAt: null },
    data: { stopAskedAt: core.clock.now() },
  })
}

/** Marks the recording as running since `startedAt`. */
export async function markRunning(core: Core, id: string, startedAt: Date): Promise<void> {
  const expiresAt = new Date(startedAt.getTime() + core.rules.recordings.lifeMs)
  await core.db.recording.updateMany({
    where: { id, status: 'starting' },
    data: { status: 'recording', startedAt, expiresAt },
  })
}

/** Marks the recording as ended, while its host writes the file. */
export async function markEnded(
  tx: Tx,
  core: Core,
  recording: Recording,
  at?: { startedAt: Date; endedAt: Date | null },
): Promise<void> {
  const { count } = await tx.recording.updateMany({
    where: { id: recording.id, status: { in: [...running] } },
    data: { status: 'processing', ...at },
  })
  if (count > 0) await addFetch(tx, core, recording.id)
}

/** Removes the row of a recording that never began. */
export const forget = async (core: Core, id: string): Promise<void> => {
  await core.db.recording.deleteMany({ where: { id, status: 'starting' } })
}

/** Marks the recording as failed, because it could not be saved. */
export async function markFailed(core: Core, id: string, isDropped: boolean): Promise<void> {
  await core.db.recording.updateMany({
    where: { id, status: { in: [...unfinished] } },
    data: { status: 'failed', isDropped },
  })
}

interface StoredVideo {
  storageId: string
  sha256: string
  durationMs: number
  sizeBytes: bigint
  startedAt: Date
  endedAt: Date
}

/**
 * Marks the recording's file as stored. Removes this file instead when the recording was deleted in the
 * meantime, or another runner stored its file.
 */
export async function markReady(core: Core, recording: Recording, video: StoredVideo): Promise<void> {
  await inTransaction(core.db, async (tx) => {
    const { count } = await tx.recording.updateMany({
      where: { id: recording.id, status: { in: [...unfinished] } },
      data: { ...video, status: 'ready', isStored: true },
    })
    if (count === 0) await addFileDelete(tx, video.storageId)
  })
}

/**
 * Removes a recording's file: here with the commit, and on its host soon after. Returns false when the file
 * was already removed.
 */
export async function remove(tx: Tx, core: Core, recording: Recording): Promise<boolean> {
  const { count } = await tx.recording.updateMany({
    where: { id: recording.id, status: { not: 'deleted' } },
    data: { status: 'deleted', isStored: false },
  })
  if (count === 0) return false
  const { storageId } = await tx.recording.findUniqueOrThrow({ where: { id: recording.id } })
  await addFileDelete(tx, storageId)
  if (!recording.isDropped) await addFetch(tx, core, recording.id)
  return true
}
