/**
 * Whose data a device holds, and who may have it next. Pure: the rule by which
 * no phone gets a device with another tenant's data, whatever the control
 * plane believes. docs/decisions/0140, 0142
 */
import { z } from 'zod'

export const wipeLevels = ['data', 'package'] as const
export type WipeLevel = (typeof wipeLevels)[number]

/** Part of a device's record (`records.ts`). The defaults are what a record without these fields means: a used device. */
export const custodySchema = z.object({
  /** The highest number seen; decimal. */
  fencingNumber: z.string().regex(/^\d+$/),
  /** The phone that brought it; empty: an enrolment, or a wipe of a device that no phone holds. */
  numberHolder: z.string().default(''),
  /** A wipe or an enrolment brought it. */
  numberErases: z.boolean().default(false),
  /** The phone that had the device last; null once a wipe was verified after it, and when it is not known. */
  assignment: z
    .object({ phoneId: z.string(), tenant: z.string(), fencingNumber: z.string() })
    .nullable()
    .default(null),
  /** Something was, or may have been, written since the last verified wipe. */
  dirty: z.boolean().default(true),
  /** The last verified wipe. `tenant`: whose data it was made after; empty: not known. */
  clean: z
    .object({
      fencingNumber: z.string(),
      level: z.enum(wipeLevels),
      tenant: z.string(),
      at: z.iso.datetime(),
    })
    .nullable()
    .default(null),
  /** Grows with each change of these fields, also over a lost record as long as the clock does. */
  revision: z.number().int().nonnegative().default(0),
})
export type Custody = z.infer<typeof custodySchema>

export interface Asked {
  /** `use`: the phone works on the device. `erase`: the device is wiped. */
  intent: 'use' | 'erase'
  phoneId: string
  tenant: string
  /** The phone ran before: its data must be on the device. An older control plane does not say it. */
  hasData?: boolean | undefined
  fencingNumber: bigint
}

export interface HostFlags {
  /** The operator takes a package-level clean as good enough for anyone. */
  packageCleanFreesAll: boolean
}

export type Refusal =
  | 'old_number'
  | 'number_taken'
  | 'not_wiped'
  | 'clean_for_another_tenant'
  | 'data_wiped'
  | 'not_assigned'

/** Null: it may. The device of a refused call is not touched and its record does not change. */
export function mayAssign(record: Custody, asked: Asked, flags: HostFlags): Refusal | null {
  const current = BigInt(record.fencingNumber)
  if (asked.fencingNumber <= 0n || asked.fencingNumber < current) return 'old_number'
  if (asked.fencingNumber === current && isTaken(record, asked)) return 'number_taken'
  if (asked.intent === 'erase') return null
  if (asked.phoneId === '') return 'not_assigned'
  const { assignment } = record
  if (assignment) return isSamePhone(assignment, asked) ? null : 'not_wiped'
  // It would get an empty phone as if it were its own.
  if (asked.hasData && record.clean && !record.dirty) return 'data_wiped'
  const free = cleanFor(record, flags)
  if (free === '')
    return record.clean?.level === 'package' && !record.dirty ? 'clean_for_another_tenant' : 'not_wiped'
  return free === 'anyone' || free === forTenant(asked.tenant) ? null : 'clean_for_another_tenant'
}

/** Whether the current number stands for something else than what is asked. */
function isTaken(record: Custody, asked: Asked): boolean {
  if (record.numberHolder === asked.phoneId) return false
  // Any number of calls may order the same wipe; and the first phone takes a number that only a wipe without a phone had.
  return !(record.numberErases && (asked.intent === 'erase' || record.numberHolder === ''))
}

/** A control plane that is older than tenants names none. */
const isSamePhone = (held: { phoneId: string; tenant: string }, asked: Asked): boolean =>
  held.phoneId === asked.phoneId &&
  (held.tenant === asked.tenant || held.tenant === '' || asked.tenant === '')

/** Null: the call is of the phone that has the device, under the number that it has it by. */
export function mayCall(record: Custody, asked: Pick<Asked, 'phoneId' | 'fencingNumber'>): Refusal | null {
  const { assignment } = record
  if (asked.fencingNumber !== BigInt(record.fencingNumber)) return 'old_number'
  const isTheirs = assignment?.phoneId === asked.phoneId && assignment.fencingNumber === record.fencingNumber
  return isTheirs ? null : 'not_assigned'
}

/** The record once `asked` was accepted; the same object when nothing changes. */
export function assigned<R extends Custody>(record: R, asked: Asked, now: number): R {
  const fencingNumber = asked.fencingNumber.toString()
  const { phoneId } = asked
  const isSameNumber = record.fencingNumber === fencingNumber
  if (asked.intent === 'erase') {
    // A wipe under the number of the phone that has the device does not take the number from it.
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

/** From here on something may be written. */
export const written = <R extends Custody>(record: R, now: number): R =>
  record.dirty ? record : { ...record, dirty: true, revision: nextRevision(record, now) }

/** The device was taken in, and may be another phone than the one before: nothing is proven of it. */
export const enrolled = <R extends Custody>(record: R, now: number): R => ({
  ...record,
  assignment: null,
  dirty: true,
  clean: null,
  revision: nextRevision(record, now),
})

/** A wipe was verified under this number. */
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

/** The one tenant whose data a package-level clean may leave; empty: not known, or several. */
function tenantLeft({ assignment, clean }: Custody): string {
  if (!assignment) return clean?.tenant ?? ''
  const isAlone = clean === null || clean.level === 'data' || clean.tenant === assignment.tenant
  return isAlone ? assignment.tenant : ''
}

const nextRevision = (record: Custody, now: number): number => Math.max(record.revision + 1, now)

/** `anyone`, `tenant:` and a tenant, or empty: nobody but the phone that has it. */
export function cleanFor(record: Custody, { packageCleanFreesAll }: HostFlags): string {
  if (record.assignment || record.dirty || !record.clean) return ''
  const { level, tenant } = record.clean
  if (level === 'data' || packageCleanFreesAll) return 'anyone'
  return tenant === '' ? '' : forTenant(tenant)
}

const forTenant = (tenant: string): string => `tenant:${tenant}`
