/** Creates an upload: runs the specification's checks in their order, and creates the one-time URL. */
import { creditAdvice, projectFrozen } from '../../rental/billing/admission.js'
import { ApiError, hashSecret, newId, newSecret } from '@phonerack/shared'
import { type Tx } from '../../base/db/database.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { secondsToNextDay } from '../../rental/billing/calendar.js'
import { type UploadCore } from './core.js'
import { countToday, storageLimitReached, usedBytes, viewOf } from './records.js'
import { noRoom, waitingBytes } from './waiting.js'
import { type Caller } from '../../base/core/caller.js'
import { type UploadView } from './types.js'

export async function createUpload(
  uploads: UploadCore,
  caller: Caller,
): Promise<{ upload: UploadView; uploadUrl: string; maxBytes: number }> {
  const { core, store, baseUrl } = uploads
  const isFull = !(await store.hasRoomFor(0))
  const token = newSecret('upload')
  const upload = await inTenantTransaction(core, caller, async (tx) => {
    const now = core.clock.now()
    await admit(uploads, tx, caller.projectId, now)
    const waiting = await waitingBytes(tx, caller.projectId, now)
    const { projectWaitingBytes } = core.rules.uploads
    if (waiting.project >= projectWaitingBytes)
      throw new ApiError('storage_limit_reached', {
        message: 'The project has reached its storage limit for uploads that are not completed.',
        details: { limit_bytes: projectWaitingBytes, used_bytes: waiting.project },
        next: 'Complete or delete uploads whose files were sent (GET /v1/apps/uploads), then send the request again.',
      })
    if (isFull || waiting.all >= core.rules.uploads.waitingBytes) throw noRoom()
    return tx.upload.create({
      data: {
        id: newId('upload'),
        projectId: caller.projectId,
        keyId: caller.keyId,
        status: 'awaiting_file',
        tokenHash: hashSecret(token),
        createdAt: now,
        expiresAt: new Date(now.getTime() + core.rules.uploads.awaitingMs),
      },
    })
  })
  return {
    upload: viewOf(upload, upload.createdAt),
    uploadUrl: `${baseUrl}/uploads/${token}`,
    maxBytes: core.rules.uploads.fileBytes,
  }
}

/** Runs under the project's lock, so that the day's count is exact across replicas. */
async function admit({ core }: UploadCore, tx: Tx, projectId: string, now: Date): Promise<void> {
  const { projectBytes, perDay } = core.rules.uploads
  await tx.$queryRaw`select 1 from projects where id = ${projectId} for update`
  const project = await tx.project.findUniqueOrThrow({ where: { id: projectId } })
  if (project.balanceMicros <= 0n)
    throw new ApiError('insufficient_credits', {
      message: 'The project does not have credit.',
      next: creditAdvice(core.rules),
      details: { max_affordable_seconds: 0 },
    })
  if (project.frozenAt !== null) throw projectFrozen()
  const used = await usedBytes(tx, projectId, now)
  if (used >= projectBytes) throw storageLimitReached(projectBytes, used)
  const today = await countToday(tx, projectId, now)
  if (today >= perDay)
    throw new ApiError('rate_limited', {
      message: `The project has already created ${perDay} uploads today (UTC).`,
      retryAfterSeconds: secondsToNextDay(now),
    })
}
