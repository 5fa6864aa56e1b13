/**
 * Counts creates that failed on a device, one after another. A phone that cannot start but can be wiped would otherwise be free
 * again after each of them. docs/decisions/0224
 */
import { type Rules } from '../config/config.js'
import { type Database, type Tx } from '../db/database.js'

/** Consecutive failed creates after which a device is quarantined. */
export const mostFailedStarts = 3

/**
 * Counts the failure of an assignment, once for each fencing number. A phone that becomes ready ends the count. Failures do not
 * count while the host is silent, takes no work, or has devices that fail together: it may have caused them.
 */
export async function countFailedStart(
  db: Pick<Database, '$executeRaw'>,
  deviceId: string,
  fencing: bigint,
  now: Date,
  { hostLateAfterMs }: Pick<Rules, 'hostLateAfterMs'>,
): Promise<void> {
  const heardSince = new Date(now.getTime() - hostLateAfterMs)
  await db.$executeRaw`update devices d
    set failed_starts = failed_starts + 1, failed_start_number = ${fencing} from hosts h
    where h.id = d.host_id and d.id = ${deviceId} and d.fencing_number = ${fencing}
      and d.failed_start_number is distinct from ${fencing}
      and h.refuses is null and h.last_seen_at >= ${heardSince}
      and (h.degraded_until is null or h.degraded_until <= ${now})`
}

/** Consecutive failed creates with the one under this number; 0: no failure of it counts. */
export async function failedStartsOf(
  db: Pick<Tx, 'device'>,
  deviceId: string,
  fencing: bigint,
): Promise<number> {
  const row = await db.device.findFirst({
    where: { id: deviceId, failedStartNumber: fencing },
    select: { failedStarts: true },
  })
  return row?.failedStarts ?? 0
}

/** A try of a start that failed, in milliseconds. */
export interface Try {
  /** It reached the deadline of the call. */
  timedOut: boolean
  /** The time that it was given. */
  givenMs: number
  /** The time that it took, without pauses of this process. */
  tookMs: number
}

/** Milliseconds before the deadline of a call in which the agent may answer that its time is over. */
const answerMs = 1000

/** Whether a try ended because its time was over, before the phone had `fairMs`: that says nothing about the phone. */
export const wasCutShort = ({ timedOut, givenMs, tookMs }: Try, fairMs: number): boolean =>
  tookMs < fairMs && (timedOut || (givenMs < fairMs && tookMs >= givenMs - answerMs))
