/**
 * Every 15 s, adds a new job where a temporary state has lost its job, for example after too many
 * failures. Jobs are safe to run twice, so an unneeded one does no harm.
 */
import { limits } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { enforceDeadline, enforceDue } from '../../rental/phones/run.js'
import { endAbandoned } from '../../rental/phones/abandoned.js'
import { endRetiredPhones } from '../../rental/phones/retired.js'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { addCare } from '../../rental/devices/care.js'
import { countDispute, lockDisputed } from '../../rental/devices/disputes.js'
import { Prisma } from '../../gen/prisma/client.js'
import { expireHandoffs } from '../../phone-io/handoffs/expiry.js'
import { addAdoption } from '../hosts/move.js'
import { expireEvents } from '../../events/events/expiry.js'
import { expireReports } from '../hosts/report-expiry.js'
import { deleteHistory } from './history.js'
import { addJob, addJobs, assignmentJobKey } from '../../base/queue/queue.js'
import { expireDeletedDeliveries, expireDeletedWebhooks, expireTests } from '../../events/webhooks/expiry.js'
import { deliverNow } from '../../events/webhooks/jobs.js'

interface Lost {
  id: string
  fencing: bigint
}
interface LostCare extends Lost {
  state: 'wiping' | 'provisioning'
  /** The start's job has used all its attempts. */
  isGivenUp: boolean
}

/** True for a device `d` that is being wiped or enrolled, and has no job for that work. */
const lacksCare = Prisma.sql`d.state in ('wiping', 'provisioning') and d.adopting_since is null
  and not exists (select 1 from graphile_worker.jobs j
    where j.key like 'device.%:' || d.id || ':' || d.fencing_number and j.attempts < j.max_attempts)`

export async function reconcile(core: Core): Promise<void> {
  await overdue(core)
  await endRetiredPhones(core)
  await expireHandoffs(core)
  const parking = await core.db.$queryRaw<Lost[]>`select p.id, coalesce(d.fencing_number, 0) as fencing
    from phones p left join devices d on d.phone_id = p.id where p.status = 'parking'
      and not exists (select 1 from graphile_worker.jobs j where j.key = 'phone.park:' || p.id || ':' || coalesce(d.fencing_number, 0) and j.attempts < j.max_attempts)`
  const starting = await core.db.$queryRaw<Lost[]>`select p.id, d.fencing_number as fencing
    from phones p join devices d on d.phone_id = p.id
    where p.status in ('creating', 'starting') and p.start_deadline_at is not null
      and not exists (select 1 from graphile_worker.jobs j where j.key = 'phone.start:' || p.id || ':' || d.fencing_number and j.attempts < j.max_attempts)`
  const care = await core.db.$queryRaw<LostCare[]>`select d.id, d.fencing_number as fencing, d.state,
      exists (select 1 from graphile_worker.jobs j where j.key like 'device.%:' || d.id || ':' || d.fencing_number) as "isGivenUp"
    from devices d where ${lacksCare} order by d.id`
  const moved = await core.db.$queryRaw<{ id: string }[]>`select d.id from devices d
    where d.adopting_since is not null
      and not exists (select 1 from graphile_worker.jobs j where j.key = 'device.adopt:' || d.id and j.attempts < j.max_attempts)`
  const uploads = await core.db.$queryRaw<{ id: string }[]>`select u.id from uploads u
    where u.status = 'processing'
      and not exists (select 1 from graphile_worker.jobs j where j.key = 'upload.process:' || u.id and j.attempts < j.max_attempts)`
  const installs = await core.db.$queryRaw<{ id: string }[]>`select i.id from installs i
    where i.status in ('beginning', 'running')
      and not exists (select 1 from graphile_worker.jobs j where j.key = 'app.install:' || i.id and j.attempts < j.max_attempts)`
  const recordings = await core.db.$queryRaw<{ id: string }[]>`select r.id from recordings r
    where not r.is_dropped
      and not exists (select 1 from graphile_worker.jobs j where j.key = 'recording.fetch:' || r.id and j.attempts < j.max_attempts)`
  // Adds one job per webhook, however many deliveries are pending.
  const webhooks = await core.db.$queryRaw<{ id: string }[]>`select w.id from webhooks w
    where w.deleted_at is null
      and exists (select 1 from webhook_deliveries d where d.webhook_id = w.id and d.status = 'pending'
        and d.next_attempt_at < now() - interval '5 seconds')
      and not exists (select 1 from graphile_worker.jobs j
        where j.key in ('webhook.deliver:' || w.id, 'webhook.deliver:' || w.id || ':later')
          and j.attempts < j.max_attempts and j.run_at < now() + interval '30 seconds')
    order by w.id`
  await deleteReplaced(core)
  const lost = [parking, starting, care, moved, uploads, installs, recordings, webhooks]
  if (lost.every((rows) => rows.length === 0)) return
  core.log.warn(
    {
      parking: parking.length,
      starting: starting.length,
      devices: care.length,
      moved: moved.length,
      uploads: uploads.length,
      installs: installs.length,
      recordings: recordings.length,
      webhooks: webhooks.length,
    },
    'adding lost jobs again',
  )
  await inTransaction(core.db, async (tx) => {
    for (const { id } of recordings)
      await addJob(tx, 'recording.fetch', { recordingId: id }, { key: `recording.fetch:${id}` })
    for (const { id } of installs)
      await addJob(tx, 'app.install', { installId: id }, { key: `app.install:${id}` })
    for (const { id } of uploads)
      await addJob(tx, 'upload.process', { uploadId: id }, { key: `upload.process:${id}` })
    for (const { id, fencing } of parking) await addPhoneJob(tx, 'phone.park', id, fencing)
    for (const { id, fencing } of starting) await addPhoneJob(tx, 'phone.start', id, fencing)
    for (const lost of care) await careAgain(tx, lost)
    for (const { id } of moved) await addAdoption(tx, id)
  })
  // Each job is added in a separate statement, since other transactions lock jobs of webhooks.
  for (const { id } of webhooks) await addJobs(core.db, [deliverNow(id)])
}

/**
 * Deletes jobs of webhooks that another job replaced while they ran, and whose process was killed: graphile
 * takes their keys and their attempts, so no worker runs them.
 */
const deleteReplaced = ({ db }: Core): Promise<number> =>
  db.$executeRaw`delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = 'webhook.deliver'
      and j.key is null and j.locked_at is null and j.attempts >= j.max_attempts`

/**
 * Quarantines a device whose wipe or enrolment failed every time, since its job would be added forever.
 * Starts need no limit, since they have a deadline, and parks always end.
 */
async function careAgain(tx: Tx, { id, fencing, state, isGivenUp }: LostCare): Promise<void> {
  const isDisputed = await lockDisputed(tx, id)
  // Another replica may have found the device too, and quarantined it first.
  const [still] = await tx.$queryRaw<{ id: string }[]>`select d.id from devices d
    where d.id = ${id} and d.fencing_number = ${fencing} and ${lacksCare}`
  if (!still) return
  if (!isDisputed && !isGivenUp) {
    await countDispute(tx, id)
    return addCare(tx, id, state, fencing)
  }
  const work = state === 'wiping' ? 'wipe' : 'enrolment'
  const reason = isGivenUp
    ? `its ${work} failed 25 times in the control plane: see its log, then release the device.`
    : `its ${work} was lost again and again: see the log of the control plane, then release the device.`
  await tx.device.updateMany({
    where: { id, state, fencingNumber: fencing },
    data: { state: 'quarantined', reason, failedAt: null, startFailedAt: null },
  })
}

const addPhoneJob = (
  tx: Tx,
  name: 'phone.park' | 'phone.start',
  phoneId: string,
  fencing: bigint,
): Promise<void> =>
  addJob(
    tx,
    name,
    { phoneId, fencing: fencing.toString() },
    { key: assignmentJobKey(name, phoneId, fencing) },
  )

/** Ends runs whose timer is five seconds late. */
async function overdue(core: Core): Promise<void> {
  const late = new Date(core.clock.now().getTime() - 5000)
  const rows = await core.db.$queryRaw<{ phone_id: string; session_id: string; deadline: boolean }[]>`
    select p.id as phone_id, s.id as session_id, coalesce(p.start_deadline_at < ${late}, false) as deadline
    from phones p join sessions s on s.phone_id = p.id and s.ended_at is null
    where p.start_deadline_at < ${late}
      or s.started_at + make_interval(secs => s.max_duration) < ${late}
      or (p.status = 'ready' and p.last_active_at + make_interval(secs => s.idle_timeout) < ${late})`
  for (const row of rows) {
    if (row.deadline) await enforceDeadline(core, row.phone_id, row.session_id)
    else await enforceDue(core, row.phone_id, row.session_id)
  }
}

/**
 * Deletes expired rows of every kind, even when a kind fails.
 * @throws AggregateError when a kind could not be deleted
 */
export async function forget(core: Core): Promise<void> {
  const failures: { kind: string; error: unknown }[] = []
  for (const [kind, expire] of Object.entries(expirable))
    await expire(core, core.clock.now()).catch((error: unknown) => failures.push({ kind, error }))
  if (failures.length === 0) return
  const kinds = failures.map(({ kind }) => kind).join(', ')
  throw new AggregateError(
    failures.map(({ error }) => error),
    `could not delete expired rows: ${kinds}`,
  )
}

/** Milliseconds. */
const day = 86_400_000
const before = (now: Date, ms: number): { lt: Date } => ({ lt: new Date(now.getTime() - ms) })

const expirable: Readonly<Record<string, (core: Core, now: Date) => Promise<unknown>>> = {
  'abandoned phones': endAbandoned,
  'idempotency keys': ({ db }, now) => db.idempotencyKey.deleteMany({ where: { expiresAt: { lt: now } } }),
  'counts of past minutes': ({ db }, now) =>
    db.lifecycleCount.deleteMany({ where: { minute: before(now, 600_000) } }),
  activity: ({ db, rules }, now) =>
    db.activity.deleteMany({ where: { at: before(now, rules.activityLifeMs) } }),
  installs: ({ db, rules }, now) =>
    db.install.deleteMany({
      where: { status: { in: ['succeeded', 'failed'] }, updatedAt: before(now, rules.activityLifeMs) },
    }),
  recordings: ({ db, rules }, now) =>
    db.recording.deleteMany({
      where: { status: 'deleted', isDropped: true, expiresAt: before(now, rules.activityLifeMs) },
    }),
  // Anyone may begin a setup. Setups that a person decided are kept longer, so that the waiting terminals can
  // read the result.
  setups: ({ db }, now) =>
    db.setup.deleteMany({
      where: {
        OR: [
          { status: 'pending', expiresAt: before(now, limits.setup.life * 1000) },
          { expiresAt: before(now, day) },
        ],
      },
    }),
  'live links': ({ db }, now) => db.liveLink.deleteMany({ where: { expiresAt: before(now, day) } }),
  'hand-overs': ({ db }, now) =>
    db.handoff.deleteMany({ where: { expiresAt: before(now, limits.handoffs.life * 1000) } }),
  'old sessions and phones': deleteHistory,
  events: (core) => expireEvents(core, core.rules.eventLifeMs),
  'reports of phones': (core) => expireReports(core, core.rules.eventLifeMs),
  'tests of webhooks': (core) => expireTests(core, core.rules.eventLifeMs),
  'deliveries of deleted webhooks': expireDeletedDeliveries,
  'deleted webhooks': expireDeletedWebhooks,
  'operator requests': ({ db }, now) => db.operatorRequest.deleteMany({ where: { expiresAt: { lt: now } } }),
  'audit log': ({ db, rules }, now) =>
    db.auditEntry.deleteMany({ where: { at: before(now, rules.auditLifeMs) } }),
  'join tokens': ({ db }, now) => db.joinToken.deleteMany({ where: { expiresAt: before(now, day) } }),
}
