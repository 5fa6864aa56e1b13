/** Limits the total size of all projects' files that are not yet completed. */
import { ApiError } from '@phonerack/shared'
import { type Reader } from '../../base/db/database.js'

/** The lock for reserving space for arriving files, across all replicas. */
export const roomLock = 7_201_101

export interface Waiting {
  /** Bytes of all projects. */
  all: number
  /** Bytes of this project. */
  project: number
}

/** Returns the bytes of arrived files, plus the declared bytes of arriving files. */
export async function waitingBytes(db: Reader, projectId: string, now: Date): Promise<Waiting> {
  const rows = await db.$queryRaw<{ all: bigint; project: bigint }[]>`select
    coalesce(sum(size_bytes), 0)::bigint as all,
    coalesce(sum(size_bytes) filter (where project_id = ${projectId}), 0)::bigint as project
    from uploads where status = 'awaiting_file' and expires_at > ${now}
      and (is_stored or (arrived_at is null and claim_until > ${now}))`
  return { all: Number(rows[0]?.all ?? 0n), project: Number(rows[0]?.project ?? 0n) }
}

/** Returns the error for a file without space at present. */
export const noRoom = (cause?: unknown): ApiError =>
  new ApiError('storage_full', {
    next: 'Send the same request again in a minute. Completing or deleting waiting uploads frees storage: GET /v1/apps/uploads',
    cause,
  })
