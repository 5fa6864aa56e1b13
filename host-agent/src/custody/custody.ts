/**
 * Decides whose data a device holds, and which phone may use the device next. Pure. No phone gets a device
 * with another tenant's data, regardless of the control plane's state. docs/decisions/0140, 0142
 */
import { z } from 'zod'

const wipeLevels = ['data', 'package'] as const
export type WipeLevel = (typeof wipeLevels)[number]

/**
 * Part of a device's record (`records.ts`). The defaults for missing fields describe a used device.
 */
export const custodySchema = z.object({
  /** The highest number seen, in decimal. */
  fencingNumber: z.string().regex(/^\d+$/),
  /**
   * The phone that set the number; empty after an enrolment, or after a wipe of an unassigned
   * device.
   */
  numberHolder: z.string().default(''),
  /** Whether a wipe or an enrolment set the number. */
  numberErases: z.boolean().default(false),
  /** The last phone assigned; null after a verified wipe, and when unknown. */
  assignment: z
    .object({ phoneId: z.string(), tenant: z.string(), fencingNumber: z.string() })
    .nullable()
    .default(null),
  /** Whether data may have been written since the last verified wipe. */
  dirty: z.boolean().default(true),
  /** The last verified wipe. `tenant`: the tenant whose data the wipe removed; empty when unknown. */
  clean: z
    .object({
      fencingNumber: z.string(),
      level: z.enum(wipeLevels),
      tenant: z.string(),
      at: z.iso.datetime(),
    })
    .nullable()
    .default(null),
  /**
   * Increases with each change of these fields, and also after a lost record, as long as the clock does not
   * go back.
   */
  revision: z.number().int().nonnegative().default(0),
})
export type Custody = z.infer<typeof custodySchema>

export interface Asked {
  /** `use`: the phone works on the device. `erase`: the device is wiped. */
  intent: 'use' | 'erase'
  phoneId: string
  tenant: string
  /** The phone ran before, so its data must be on the device. Older control planes do not send this field. */
  hasData?: boolean | undefined
  fencingNumber: bigint
}

export interface HostFlags {
  /** The operator accepts a package-level clean as sufficient for any tenant. */
  packageCleanFreesAll: boolean
}

export type Refusal =
  | 'old_number'
  | 'number_taken'
  | 'not_wiped'
  | 'clean_for_another_tenant'
  | 'data_wiped'
  | 'not_assigned'

/**
 * Returns null when the phone may have the device, otherwise the reason. A refused call does not touch the
 * device and does not change its record.
 */
export function mayAssign(record: Custody, asked: Asked, flags: HostFlags): Refusal | null {
  const current = BigInt(record.fencingNumber)
  if (asked.fencingNumber <= 0n || asked.fencingNumber < current) return 'old_number'
  if (asked.fencingNumber === current && isTaken(record, asked)) return 'number_taken'
  if (asked.intent === 'erase') return null
  if (asked.phoneId === '') return 'not_assigned'
  const { assignment } = record
  if (assignment) return isSamePhone(assignment, asked) ? null : 'not_wiped'
  // The phone would get an empty device instead of its data.
  if (asked.hasData && record.clean && !record.dirty) return 'data_wiped'
  const free = cleanFor(record, flags)
  if (free === '')
    return record.clean?.level === 'package' && !record.dirty ? 'clean_for_another_tenant' : 'not_wiped'
  return free === 'anyone' || free === forTenant(asked.tenant) ? null : 'clean_for_another_tenant'
}

/** Whether the current number belongs to a different request. */
function isTaken(record: Custody, asked: Asked): boolean {
  if (record.numberHolder === asked.phoneId) return false
  // Any number of calls may request the same wipe. The first phone may use a number that only a wipe without
  // a phone has used.
  return !(record.numberErases && (asked.intent === 'erase' || record.numberHolder === ''))
}

/** Compares the phone and the tenant. Control planes from before tenants do not send a tenant. */
const isSamePhone = (held: { phoneId: string; tenant: string }, asked: Asked): boolean =>
  held.phoneId === asked.phoneId &&
  (held.tenant === asked.tenant || held.tenant === '' || asked.tenant === '')

/** Returns null when the call comes from the assigned phone under its number, otherwise the reason. */
export function mayCall(record: Custody, asked: Pick<Asked, 'phoneId' | 'fencingNumber'>): Refusal | null {
  const { assignment } = record
  if (asked.fencingNumber !== BigInt(record.fencingNumber)) return 'old_number'
  const isTheirs = assignment?.phoneId === asked.phoneId && assignment.fencingNumber === record.fencingNumber
  return isTheirs ? null : 'not_assigned'
}

/** Returns the record after `asked` was accepted; the same object when nothing changes. */
export function assigned<R extends Custody>(record: R, asked: Asked, now: number): R {
  const fencingNumber = asked.fencingNumber.toString()
  const { phoneId } = asked
  const isSameNumber = record.fencingNumber === fencingNumber
  if (asked.intent === 'erase') {
    // The assigned phone keeps its number during a wipe under that number.
    if (isSameNumber) return record
    const revision = nextRevision(record, now)
    return { ...record, fencingNumber, numberHolder: phoneId, numberErases: true, revision }
  }
  const tenant = asked.tenant || (record.assignment?.tenant ?? '')
  const { assignment } = record
  if (isSameNumber && assignment?.fencingNumber === fencingNumber && assignment.tenant === tenant)
    return record
  return {
    ...record,
    fencingNumber,
    numberHolder: phoneId,
    numberErases: false,
    assignment: { phoneId, tenant, fencingNumber },
    revision: nextRevision(record, now),
  }
}

/** Marks that data may have been written. */
export const written = <R extends Custody>(record: R, now: number): R =>
  record.dirty ? record : { ...record, dirty: true, revision: nextRevision(record, now) }

/** An enrolled device may be a different phone than before, so nothing is verified about it. */
export const enrolled = <R extends Custody>(record: R, now: number): R => ({
  ...record,
  assignment: null,
  dirty: true,
  clean: null,
  revision: nextRevision(record, now),
})

/** Records a verified wipe under this number. */
export function wiped<R extends Custody>(record: R, fencingNumber: bigint, level: WipeLevel, now: number): R {
  return {
    ...record,
    assignment: null,
    dirty: false,
    clean: {
      fencingNumber: fencingNumber.toString(),
      level,
      tenant: tenantLeft(record),
      at: new Date(now).toISOString(),
    },
    revision: nextRevision(record, now),
  }
}

/**
 * Returns the one tenant whose data a package-level clean may leave; empty when there are several tenants or the tenant
 * is unknown.
 */
function tenantLeft({ assignment, clean }: Custody): string {
  if (!assignment) return clean?.tenant ?? ''
  const isAlone = clean === null || clean.level === 'data' || clean.tenant === assignment.tenant
  return isAlone ? assignment.tenant : ''
}

const nextRevision = (record: Custody, now: number): number => Math.max(record.revision + 1, now)

/** Returns `anyone`, `tenant:<tenant>`, or an empty text when only the assigned phone may use the device. */
export function cleanFor(record: Custody, { packageCleanFreesAll }: HostFlags): string {
  if (record.assignment || record.dirty || !record.clean) return ''
  const { level, tenant } = record.clean
  if (level === 'data' || packageCleanFreesAll) return 'anyone'
  return tenant === '' ? '' : forTenant(tenant)
}

const forTenant = (tenant: string): string => `tenant:${tenant}`
