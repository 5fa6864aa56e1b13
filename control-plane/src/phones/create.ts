/** Creates a phone: replay, admission, reservation, session and assignment in one transaction. */
import { ApiError, newId } from '@phonerack/shared'
import { countLifecycleRequest } from '../billing/lifecycle-limit.js'
import { isPaused, lockOwnerAndProject, readUsage, type ProjectRecord } from '../billing/account.js'
import { admitCreate } from '../billing/admission.js'
import { holdCredit } from '../billing/ledger.js'
import { type Tx } from '../db/database.js'
import { inTenantTransaction } from '../core/tenant-transaction.js'
import { assignDevice, lockFreeDevice, type AssignedDevice } from '../devices/assignment.js'
import { activeCountries } from '../devices/countries.js'
import { addJob, assignmentJobKey } from '../queue/queue.js'
import { type Core } from '../core/core.js'
import { refuse, settle, type Outcome } from './outcome.js'
import { findPhone, viewOf } from './records.js'
import { type Caller, type Idempotency } from '../core/caller.js'
import { type CreatePhone, type PhoneView } from './types.js'

type Created = Outcome<{ phoneId: string; replayed: boolean }>

export async function createPhone(
  core: Core,
  caller: Caller,
  input: CreatePhone,
  idempotency: Idempotency | null,
): Promise<{ phone: PhoneView; replayed: boolean }> {
  const outcome = await inTenantTransaction(core, caller, (tx) =>
    attempt(core, tx, caller, input, idempotency),
  )
  const { phoneId, replayed } = settle(outcome)
  if (!replayed) core.changes.publish(phoneId)
  const phone = await findPhone(core.db, phoneId)
  if (!phone) throw new Error(`phone ${phoneId} vanished`)
  return { phone: viewOf(phone), replayed }
}

async function attempt(
  core: Core,
  tx: Tx,
  caller: Caller,
  input: CreatePhone,
  idempotency: Idempotency | null,
): Promise<Created> {
  const now = core.clock.now()
  const project = await lockOwnerAndProject(tx, caller.projectId)
  const earlier = idempotency ? await earlierPhone(tx, project.id, idempotency.key, now) : null
  if (earlier && earlier.bodyHash === idempotency?.bodyHash)
    return { done: { phoneId: earlier.phoneId, replayed: true } }
  await checkCountry(tx, input.country)
  if (earlier) return refuse(idempotencyConflict(earlier.phoneId))

  const admitted = await admit(core, tx, project, input, now)
  if ('refused' in admitted) return admitted
  const phoneId = newId('phone')
  await open(core, tx, { phoneId, caller, input, now, ...admitted })
  if (idempotency)
    await remember(
      tx,
      project.id,
      idempotency,
      phoneId,
      new Date(now.getTime() + core.rules.idempotencyWindowMs),
    )
  return { done: { phoneId, replayed: false } }
}

async function earlierPhone(tx: Tx, projectId: string, key: string, now: Date) {
  const row = await tx.idempotencyKey.findUnique({ where: { projectId_key: { projectId, key } } })
  return row && row.expiresAt > now ? row : null
}

const idempotencyConflict = (phoneId: string) =>
  new ApiError('idempotency_conflict', {
    details: { phone: phoneId },
    next: 'Send the original body with this Idempotency-Key, or use a new key.',
  })

async function checkCountry(tx: Tx, country: string | null): Promise<void> {
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

/** Reads the state that admission checks. Counts the request and locks a free device when it comes that far. */
async function admit(
  core: Core,
  tx: Tx,
  project: ProjectRecord,
  input: CreatePhone,
  now: Date,
): Promise<Admitted> {
  const { rules } = core
  const usage = await readUsage(tx, project, now)
  const heardSince = new Date(now.getTime() - rules.hostLateAfterMs)
  return admitCreate(
    rules,
    {
      frozen: project.frozenAt !== null,
      paused: await isPaused(tx),
      rateLimitedFor: () => countLifecycleRequest(tx, project.id, rules.lifecyclePerMinute, now),
      counts: {
        running: usage.ownerRunning,
        maxRunning: project.maxRunning,
        phones: usage.projectPhones,
        maxPhones: project.maxPhones,
      },
      freeDevice: () =>
        lockFreeDevice(tx, { projectId: project.id, country: input.country, heardSince, now }),
      money: { ...project, spentThisMonthMicros: usage.spentThisMonthMicros },
    },
    input.maxDuration,
  )
}

interface Opening {
  phoneId: string
  caller: Caller
  input: CreatePhone
  now: Date
  maxDuration: number
  reservedMicros: bigint
  device: AssignedDevice
}

async function open(core: Core, tx: Tx, opening: Opening): Promise<void> {
  const { phoneId, caller, input, now, maxDuration, reservedMicros } = opening
  const { projectId } = caller
  const deadline = new Date(now.getTime() + core.rules.createDeadlineMs)
  await tx.phone.create({
    data: {
      id: phoneId,
      projectId,
      keyId: caller.keyId,
      name: input.name ?? phoneId,
      status: 'creating',
      country: input.country,
      metadata: input.metadata,
      createdAt: now,
      startDeadlineAt: deadline,
    },
  })
  const device = await assignDevice(tx, opening.device.id, phoneId)
  await openSession(tx, {
    phoneId,
    projectId,
    now,
    idleTimeout: input.idleTimeout,
    maxDuration,
    reservedMicros,
    deadline,
  })
  await addStart(tx, phoneId, device.fencingNumber)
}

export interface NewSession {
  phoneId: string
  projectId: string
  now: Date
  idleTimeout: number
  maxDuration: number
  reservedMicros: bigint
  /** The phone must be ready by then. */
  deadline: Date
}

/** Opens a session, reserves its credit, and adds the jobs that watch its deadlines. */
export async function openSession(tx: Tx, session: NewSession): Promise<void> {
  const { phoneId, projectId, now, deadline } = session
  const sessionId = newId('session')
  await tx.session.create({
    data: {
      id: sessionId,
      phoneId,
      projectId,
      startedAt: now,
      idleTimeout: session.idleTimeout,
      maxDuration: session.maxDuration,
      reservedMicros: session.reservedMicros,
    },
  })
  await holdCredit(tx, { projectId, sessionId, micros: session.reservedMicros, at: now })
  await addJob(
    tx,
    'phone.deadline',
    { phoneId, sessionId },
    { runAt: deadline, key: `deadline:${sessionId}` },
  )
  const end = new Date(now.getTime() + session.maxDuration * 1000)
  await addJob(tx, 'session.due', { phoneId, sessionId }, { runAt: end, key: `due:${sessionId}` })
}

/** @param refusedBy hosts that refused this create by their own fault */
export const addStart = (
  tx: Tx,
  phoneId: string,
  fencing: bigint,
  runAt?: Date,
  refusedBy: readonly string[] = [],
): Promise<void> =>
  addJob(
    tx,
    'phone.start',
    { phoneId, fencing: fencing.toString(), refusedBy: [...refusedBy] },
    { key: assignmentJobKey('phone.start', phoneId, fencing), ...(runAt ? { runAt } : {}) },
  )

async function remember(
  tx: Tx,
  projectId: string,
  idempotency: Idempotency,
  phoneId: string,
  expiresAt: Date,
) {
  const data = { bodyHash: idempotency.bodyHash, phoneId, expiresAt }
  await tx.idempotencyKey.upsert({
    where: { projectId_key: { projectId, key: idempotency.key } },
    create: { projectId, key: idempotency.key, ...data },
    update: data,
  })
}
