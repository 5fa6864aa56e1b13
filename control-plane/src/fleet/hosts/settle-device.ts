/**
 * Reconciles a device's row with its agent's record after a restore, a failover, or an upgrade of
 * the agent. `devices/custody.ts` judges; this file acts. docs/decisions/0141
 */
import { z } from 'zod'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { quarantineDevice, releaseDevice } from '../../rental/devices/assignment.js'
import { addCare, addWipe, type Retry } from '../../rental/devices/care.js'
import {
  judge,
  longestJump,
  type CustodyRow,
  type Reported,
  type Verdict,
} from '../../rental/devices/custody.js'
import { countDispute, lockDisputed, maxDisputes } from '../../rental/devices/disputes.js'
import { contradicts, disputedTooOften, notBelieved, unknownUse } from '../../rental/devices/quarantine.js'
import { addJob, assignmentJobKey } from '../../base/queue/queue.js'
import { giveAnotherDevice } from '../../rental/phones/another-device.js'
import { type Core } from '../../base/core/core.js'
import { endRun } from '../../rental/phones/end.js'
import { addStart } from '../../rental/phones/open-session.js'
import { lockPhone, type PhoneRecord } from '../../rental/phones/records.js'

interface Locked {
  core: Core
  tx: Tx
  device: CustodyRow & { id: string }
  /** Null: no phone holds the device. */
  phone: PhoneRecord | null
  /** The fencing number that the agent reports. */
  reported: bigint
  /** How a wipe or an enrolment is added again; undefined: with no earlier refusals. */
  retry: Retry | undefined
  /** The clean columns of a clean device's row; null for a refusal, or for a report without custody. */
  clean: { confirmedEpoch: string; cleanFor: string; custodyRevision: bigint } | null
}

/**
 * Reconciles a heartbeat's report of one device with its row, if they still differ.
 * @param epoch the epoch that the heartbeat names
 */
export async function settleReport(
  core: Core,
  deviceId: string,
  report: Reported,
  epoch: string,
): Promise<void> {
  const { custody, fencing_number: reported } = report
  const clean = custody && {
    confirmedEpoch: epoch,
    cleanFor: custody.clean_for,
    custodyRevision: BigInt(custody.revision),
  }
  await settle(core, deviceId, {
    reported: BigInt(reported),
    decide: (device) => judge(device, report),
    clean: clean ?? null,
    retry: undefined,
  })
}

const refusalSchema = z.object({
  reason: z.enum([
    'old_number',
    'number_taken',
    'not_wiped',
    'clean_for_another_tenant',
    'data_wiped',
    'not_assigned',
  ]),
  current_fencing_number: z.string().regex(/^\d{1,19}$/),
})
export type Refusal = z.output<typeof refusalSchema>

/**
 * Reads why an agent refused a call because of its fencing number or its record. Null: the agent refused for
 * another reason, or did not refuse.
 */
export const refusalIn = (details: unknown): Refusal | null => refusalSchema.safeParse(details).data ?? null

/**
 * Reconciles after an agent's refusal of a job's call that carried `fencing`, unless another process has
 * reconciled the device. Returns false when nothing changed.
 */
export const settleRefusal = (
  core: Core,
  deviceId: string,
  fencing: bigint,
  { reason, current_fencing_number }: Refusal,
  retry?: Retry,
): Promise<boolean> => {
  const reported = BigInt(current_fencing_number)
  const isNumber = reason === 'old_number' || reason === 'number_taken'
  return settle(core, deviceId, {
    reported,
    decide: (device) => {
      if (device.fencingNumber !== fencing) return { kind: 'agreed' }
      if (reported - device.fencingNumber > longestJump) return { kind: 'far ahead' }
      // An agent refuses a number only for an equal or higher one, even after a restore of its
      // record.
      if (isNumber && reported < fencing) return { kind: 'contradicts itself' }
      if (reason === 'data_wiped') return { kind: 'wiped since' }
      return { kind: isNumber ? 'order again' : 'used by unknown' }
    },
    clean: null,
    retry,
  })
}

interface Settling extends Pick<Locked, 'reported' | 'retry' | 'clean'> {
  decide: (device: CustodyRow) => Verdict
}

async function settle(core: Core, deviceId: string, { decide, ...how }: Settling): Promise<boolean> {
  const { reported } = how
  const settled = await inTransaction(core.db, async (tx) => {
    const held = await tx.device.findUnique({ where: { id: deviceId }, select: { phoneId: true } })
    if (!held) return null
    const phone = held.phoneId === null ? null : await lockPhone(tx, held.phoneId, 'project and phone')
    const isDisputed = await lockDisputed(tx, deviceId)
    // The table's check constraint allows no other state.
    const device = (await tx.device.findUniqueOrThrow({ where: { id: deviceId } })) as Locked['device']
    // The device was assigned again in the meantime; the next report describes the new assignment.
    if (device.phoneId !== held.phoneId) return null
    const verdict = decide(device)
    if (verdict.kind === 'agreed' || verdict.kind === 'clean') return null
    const locked: Locked = { core, tx, device, phone, ...how }
    const changed = await (isDisputed
      ? quarantine(locked, disputedTooOften(reported, maxDisputes))
      : act(locked, verdict))
    if (!changed) return null
    await countDispute(tx, device.id)
    core.log.warn(
      {
        audit: 'device.reconciled',
        device: deviceId,
        phone: device.phoneId,
        verdict: verdict.kind,
        reported: reported.toString(),
        isDisputed,
      },
      'the records of a device and its agent differed',
    )
    return { phoneId: device.phoneId }
  })
  if (settled && settled.phoneId !== null) core.changes.publish(settled.phoneId)
  return settled !== null
}

/** Returns false when nothing had to change. */
async function act(locked: Locked, { kind }: Verdict): Promise<boolean> {
  const { tx, device, phone } = locked
  switch (kind) {
    case 'far ahead':
      return quarantineForWipe(locked, notBelieved(locked.reported, device.fencingNumber))
    case 'contradicts itself':
      return quarantine(locked, contradicts(locked.reported, device.fencingNumber))
    case 'clean ahead':
      await raiseTo(locked, 0n)
      if (locked.clean) await tx.device.update({ where: { id: device.id }, data: locked.clean })
      return true
    case 'renumber':
      await raiseTo(locked, 0n)
      return true
    case 'not clean':
      await raiseTo(locked, 0n)
      await tx.device.update({ where: { id: device.id }, data: { confirmedEpoch: null, cleanFor: '' } })
      return true
    case 'wipe':
      await tx.device.update({
        where: { id: device.id },
        data: {
          state: 'wiping',
          confirmedEpoch: null,
          cleanFor: '',
          reason: 'its host reports a use that is missing from the database',
        },
      })
      await addWipe(tx, device.id, await raiseTo(locked, 1n), '')
      return true
    case 'order again':
      return phone ? goOn(locked, phone) : careAgain(locked)
    case 'wiped since':
      if (!phone) return false
      return phone.status === 'creating' || phone.resetPending
        ? goOn(locked, phone)
        : fail(locked, phone, 'The device was wiped after the point to which the database was restored.')
    case 'used by another':
    case 'used by unknown':
      return phone ? usedByOthers(locked, phone, kind) : false
    case 'agreed':
    case 'clean':
      return false
  }
}

async function usedByOthers(
  locked: Locked,
  phone: PhoneRecord,
  kind: 'used by another' | 'used by unknown',
): Promise<boolean> {
  const { device, reported } = locked
  // A reset is pending: the start under the next number wipes the phone first.
  if (phone.resetPending) return reported > device.fencingNumber && goOn(locked, phone)
  if (phone.status === 'creating') return giveAnother(locked, phone)
  if (kind === 'used by another')
    return fail(
      locked,
      phone,
      'The device was assigned to another phone after the point to which the database was restored.',
    )
  return quarantineForWipe(locked, unknownUse)
}

/** Sets the fencing number to the higher of row and report, plus `beyond`, and returns it. */
async function raiseTo({ tx, device, reported }: Locked, beyond: bigint): Promise<bigint> {
  const highest = (reported > device.fencingNumber ? reported : device.fencingNumber) + beyond
  await tx.device.update({ where: { id: device.id }, data: { fencingNumber: highest } })
  return highest
}

/**
 * Continues with the phone's current work under a number that the agent accepts. A ready phone ends
 * its session.
 */
async function goOn(locked: Locked, phone: PhoneRecord): Promise<boolean> {
  const { core, tx } = locked
  if (phone.status === 'ready') {
    await raiseTo(locked, 0n)
    // The agent refuses the numbers of running requests, so a start issues a new number.
    const now = core.clock.now()
    const message = 'The database was restored while the phone ran. Start it again.'
    return endRun(tx, core.rules, phone, 'lose', {
      at: now,
      now,
      failure: { code: 'phone_unavailable', message },
    })
  }
  const number = await raiseTo(locked, 1n)
  const payload = { phoneId: phone.id, fencing: number.toString() }
  if (phone.status === 'creating' || phone.status === 'starting') await addStart(tx, phone.id, number)
  if (phone.status === 'parking')
    await addJob(tx, 'phone.park', payload, { key: assignmentJobKey('phone.park', phone.id, number) })
  return true
}

/** Adds the current wipe or enrolment again under an unused number. */
async function careAgain(locked: Locked): Promise<boolean> {
  const { tx, device, retry } = locked
  if (device.state !== 'wiping' && device.state !== 'provisioning') return false
  const number = await raiseTo(locked, 1n)
  await addCare(tx, device.id, device.state, number, retry)
  return true
}

/**
 * Replaces the device of a phone that never ran. When no device is free, the phone uses this device after its
 * wipe.
 */
async function giveAnother(locked: Locked, phone: PhoneRecord): Promise<boolean> {
  const { core, tx } = locked
  const number = await raiseTo(locked, 1n)
  if (await giveAnotherDevice(tx, core, phone, null)) return true
  await tx.phone.update({ where: { id: phone.id }, data: { resetPending: true } })
  await addStart(tx, phone.id, number)
  return true
}

/** Fails the phone, since its data is gone, and wipes the device. */
async function fail(locked: Locked, phone: PhoneRecord, message: string): Promise<boolean> {
  const { core, tx } = locked
  await raiseTo(locked, 0n)
  const now = core.clock.now()
  const ended = await endRun(tx, core.rules, phone, 'fail', {
    at: now,
    now,
    failure: { code: 'phone_unavailable', message },
  })
  if (!ended) await releaseDevice(tx, phone.id)
  return true
}

/** Quarantines the device. A phone that ran on it keeps its claim. */
async function quarantine(locked: Locked, reason: string): Promise<boolean> {
  const { core, tx, device, phone } = locked
  if (device.state === 'quarantined') return false
  // An operator decides about the device, even if its host is degraded.
  await tx.device.update({ where: { id: device.id }, data: { failedAt: null, startFailedAt: null } })
  if (!phone) {
    await tx.device.update({ where: { id: device.id }, data: { state: 'quarantined', reason } })
    return true
  }
  const now = core.clock.now()
  if (phone.status === 'creating') {
    // The phone has no data yet, and so no claim to this device.
    if (await giveAnotherDevice(tx, core, phone, reason)) return true
    return endRun(tx, core.rules, phone, 'create_failed', {
      at: now,
      now,
      quarantine: reason,
      failure: { code: 'capacity_unavailable', message: 'No working device was found.' },
    })
  }
  const ended = await endRun(tx, core.rules, phone, 'lose', {
    at: now,
    now,
    quarantine: reason,
    failure: {
      code: 'phone_unavailable',
      message: 'The device of the phone is quarantined until the operator releases it.',
    },
  })
  if (!ended) await quarantineDevice(tx, phone.id, reason, { keepsClaim: true })
  return true
}

/** Like `quarantine`, but the operator can only wipe the device: its agent refuses the phone. */
async function quarantineForWipe(locked: Locked, reason: string): Promise<boolean> {
  const changed = await quarantine(locked, reason)
  if (changed)
    await locked.tx.device.updateMany({
      where: { id: locked.device.id, state: 'quarantined' },
      data: { wipeOnly: true },
    })
  return changed
}
