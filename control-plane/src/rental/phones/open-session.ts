/** Opens the session of a phone that is created or started, with its credit and its jobs, in one statement. */
import { newId } from '@phonerack/shared'
import { holding } from '../billing/ledger.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { Prisma } from '../../gen/prisma/client.js'
import { addingJobs, addJobs, assignmentJobKey, newJob, type NewJob } from '../../base/queue/queue.js'

interface NewSession {
  phoneId: string
  projectId: string
  now: Date
  idleTimeout: number
  maxDuration: number
  reservedMicros: bigint
  /** When the phone must be ready. */
  deadline: Date
  /** The fencing number under which the phone starts. */
  fencing: bigint
}

export interface Opening {
  sessionId: string
  /** Expressions of a `with`. The last expression, `held`, has a row if the session is opened. */
  expressions: Prisma.Sql
  /**
   * A function for the list of a `select` from `held`, which adds the start job and the jobs of the
   * deadlines.
   */
  jobs: Prisma.Sql
}

/**
 * Builds the parts of a statement that opens a session if `ifAny` has a row. `ifAny` must have at most one
 * row.
 */
export function opening(session: NewSession, ifAny: Prisma.Sql): Opening {
  const { phoneId, projectId, now, deadline, idleTimeout, maxDuration, reservedMicros } = session
  const sessionId = newId('session')
  const end = new Date(now.getTime() + maxDuration * 1000)
  const jobs = [
    newJob('phone.deadline', { phoneId, sessionId }, { runAt: deadline, key: `deadline:${sessionId}` }),
    newJob('session.due', { phoneId, sessionId }, { runAt: end, key: `due:${sessionId}` }),
    startJob(phoneId, session.fencing),
  ]
  const expressions = Prisma.sql`session as (
      insert into sessions (id, phone_id, project_id, started_at, idle_timeout, max_duration, reserved_micros)
      select ${sessionId}::text, ${phoneId}::text, ${projectId}::text, ${now}::timestamptz, ${idleTimeout}::int,
        ${maxDuration}::int, ${reservedMicros}::bigint from ${ifAny} returning id),
    ${holding({ projectId, sessionId, micros: reservedMicros, at: now }, Prisma.sql`session`)}`
  return { sessionId, expressions, jobs: addingJobs(jobs) }
}

/** Opens a session, reserves its credit, and adds its jobs. */
export async function openSession(tx: RawTx, session: NewSession): Promise<void> {
  const { expressions, jobs } = opening(session, Prisma.sql`(values (1)) always`)
  const [row] = await tx.$queryRaw<{ added: number }[]>`with ${expressions}
    select count(*)::int as added from (select ${jobs} from held) jobs`
  if (!row?.added) throw new Error(`no session was opened for ${session.phoneId}`)
}

/** @param refusedBy hosts that refused this create by their own fault */
const startJob = (
  phoneId: string,
  fencing: bigint,
  runAt?: Date,
  refusedBy: readonly string[] = [],
): NewJob =>
  newJob(
    'phone.start',
    { phoneId, fencing: fencing.toString(), refusedBy: [...refusedBy] },
    { key: assignmentJobKey('phone.start', phoneId, fencing), ...(runAt ? { runAt } : {}) },
  )

export const addStart = (tx: RawTx, ...start: Parameters<typeof startJob>): Promise<void> =>
  addJobs(tx, [startJob(...start)])
