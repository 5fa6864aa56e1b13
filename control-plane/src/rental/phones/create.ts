/** Creates a phone: replay, admission, reservation, session and assignment in one transaction. */
import { ApiError, newId } from '@phonerack/shared'
import { countAdmission } from '../billing/lifecycle-limit.js'
import { countsOf, lockOwnerAndProject, readUsageAndPause, type ProjectRecord } from '../billing/account.js'
import { admitCreate } from '../billing/admission.js'
import { ConcurrentChange } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { inRawTenantTransaction } from '../../base/core/tenant-transaction.js'
import { assigning, lockFreeDevice, nextAssignment, type AssignedDevice } from '../devices/assignment.js'
import { activeCountries } from '../devices/countries.js'
import { Prisma } from '../../gen/prisma/client.js'
import { type Core } from '../../base/core/core.js'
import { opening } from './open-session.js'
import { refuse, settle, type Outcome } from './outcome.js'
import { readPhone, viewOf, type PhoneRecord } from './records.js'
import { type Caller, type Idempotency } from '../../base/core/caller.js'
import { type CreatePhone, type PhoneView } from './types.js'

/** `replayed`: the ID of the phone that an earlier request with the same key created. */
type Created = Outcome<{ phone: PhoneRecord } | { replayed: string }>

export async function createPhone(
  core: Core,
  caller: Caller,
  input: CreatePhone,
  idempotency: Idempotency | null,
): Promise<{ phone: PhoneView; replayed: boolean }> {
  const outcome = await inRawTenantTransaction(core, caller, (tx) =>
    attempt(core, tx, caller, input, idempotency),
  )
  const created = settle(outcome)
  // No client can wait for a phone whose ID is unknown, so the change is not published.
  if ('phone' in created) return { phone: viewOf(created.phone), replayed: false }
  const phone = await readPhone(core.read, created.replayed)
  if (!phone) throw new Error(`phone ${created.replayed} vanished`)
  return { phone: viewOf(phone), replayed: true }
}

async function attempt(
  core: Core,
  tx: RawTx,
  caller: Caller,
  input: CreatePhone,
  idempotency: Idempotency | null,
): Promise<Created> {
  const now = core.clock.now()
  const project = await lockOwnerAndProject(tx, caller.projectId)
  const earlier = idempotency ? await earlierPhone(tx, project.id, idempotency.key, now) : null
  if (earlier && earlier.bodyHash === idempotency?.bodyHash) return { done: { replayed: earlier.phoneId } }
  await checkCountry(tx, input.country)
  if (earlier) return refuse(idempotencyConflict(earlier.phoneId))

  const admitted = await admit(core, tx, project, input, now)
  if ('refused' in admitted) return admitted
  const phone = await open(core, tx, { caller, input, now, ...admitted })
  if (idempotency)
    await remember(
      tx,
      project.id,
      idempotency,
      phone.id,
      new Date(now.getTime() + core.rules.idempotencyWindowMs),
    )
  return { done: { phone } }
}

interface Earlier {
  bodyHash: string
  phoneId: string
}

async function earlierPhone(tx: RawTx, projectId: string, key: string, now: Date): Promise<Earlier | null> {
  const [row] = await tx.$queryRaw<Earlier[]>`select body_hash as "bodyHash", phone_id as "phoneId"
    from idempotency_keys where project_id = ${projectId} and key = ${key} and expires_at > ${now}`
  return row ?? null
}

const idempotencyConflict = (phoneId: string) =>
  new ApiError('idempotency_conflict', {
    details: { phone: phoneId },
    next: 'Send the original body with this Idempotency-Key, or use a new key.',
  })

async function checkCountry(tx: RawTx, country: string | null): Promise<void> {
  if (country === null) return
  const known = await activeCountries(tx)
  if (known.includes(country)) return
  throw new ApiError('validation_failed', {
    message: 'The service has no phones in this country.',
    details: {
      validation_stage: 'country',
      issues: [
        {
          path: ['country'],
          message: 'must be one of the countries in `GET /v1/account`',
          alternatives: known,
        },
      ],
    },
  })
}

type Admitted = Awaited<ReturnType<typeof admitCreate<AssignedDevice>>>

/**
 * Reads the state that admission checks. Counts the request and locks a free device when the checks get that
 * far.
 */
async function admit(
  core: Core,
  tx: RawTx,
  project: ProjectRecord,
  input: CreatePhone,
  now: Date,
): Promise<Admitted> {
  const { rules } = core
  const usage = await readUsageAndPause(tx, project, now)
  const heardSince = new Date(now.getTime() - rules.hostLateAfterMs)
  const limit = { projectId: project.id, limit: rules.lifecyclePerMinute, now }
  return countAdmission(tx, limit, (rateLimitedFor) =>
    admitCreate(
      rules,
      {
        frozen: project.frozenAt !== null,
        paused: usage.isPaused,
        rateLimitedFor,
        counts: countsOf(project, usage),
        freeDevice: () =>
          lockFreeDevice(tx, { projectId: project.id, country: input.country, heardSince, now }),
        money: { ...project, spentThisMonthMicros: usage.spentThisMonthMicros },
      },
      input.maxDuration,
    ),
  )
}

interface Opening {
  caller: Caller
  input: CreatePhone
  now: Date
  maxDuration: number
  reservedMicros: bigint
  /** The device, which the transaction has locked. */
  device: AssignedDevice
}

/**
 * Inserts the phone on its device, with its open session and its jobs. @throws ConcurrentChange if a drain or
 * retirement of the device's host ended while the device was locked
 */
async function open(core: Core, tx: RawTx, of: Opening): Promise<PhoneRecord> {
  const { caller, input, now, maxDuration, reservedMicros } = of
  const { projectId } = caller
  const { idleTimeout, onIdle } = input
  const phoneId = newId('phone')
  const name = input.name ?? phoneId
  const deadline = new Date(now.getTime() + core.rules.createDeadlineMs)
  const device = nextAssignment(of.device)
  const session = { phoneId, projectId, now, idleTimeout, maxDuration, reservedMicros, deadline }
  const { sessionId, expressions, jobs } = opening(
    { ...session, fencing: device.fencingNumber },
    Prisma.sql`phone`,
  )
  const [row] = await tx.$queryRaw<
    (Pick<PhoneRecord, 'name' | 'metadata'> & { added: number })[]
  >`with ${assigning(device, phoneId)},
    phone as (
      insert into phones (id, project_id, key_id, name, status, country, on_idle, metadata, created_at, start_deadline_at)
      select ${phoneId}::text, ${projectId}::text, ${caller.keyId}::text, ${name}::text, 'creating',
        ${input.country}::text, ${onIdle}::text, ${JSON.stringify(input.metadata)}::jsonb, ${now}::timestamptz, ${deadline}::timestamptz
      from assigned returning name, metadata),
    ${expressions}
    select name, metadata, (select count(*)::int from (select ${jobs} from held) jobs) as added from phone`
  if (!row) throw new ConcurrentChange(`device ${device.id} takes no work`)
  return {
    id: phoneId,
    projectId,
    name: row.name,
    status: 'creating',
    country: input.country,
    onIdle,
    metadata: row.metadata,
    createdAt: now,
    lastActiveAt: null,
    failure: null,
    startDeadlineAt: deadline,
    resetPending: false,
    session: { id: sessionId, startedAt: now, readyAt: null, idleTimeout, maxDuration, reservedMicros },
  }
}

async function remember(
  tx: RawTx,
  projectId: string,
  { key, bodyHash }: Idempotency,
  phoneId: string,
  expiresAt: Date,
): Promise<void> {
  await tx.$executeRaw`insert into idempotency_keys (project_id, key, body_hash, phone_id, expires_at)
    values (${projectId}, ${key}, ${bodyHash}, ${phoneId}, ${expiresAt})
    on conflict (project_id, key) do update
      set body_hash = excluded.body_hash, phone_id = excluded.phone_id, expires_at = excluded.expires_at`
}
