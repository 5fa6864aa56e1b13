/**
 * Compares a device's row with its agent's custody record. The database may be older than the
 * record after a restore or a failover. Pure. docs/decisions/0141
 */
import { type CustodyReport } from '@phonerack/shared'
import { isUp, type DeviceState } from './link.js'

/**
 * The largest accepted difference of fencing numbers. A larger difference cannot come from lost writes, and a
 * host must not exhaust the numbers.
 */
export const longestJump = 1_000_000n

export interface CustodyRow {
  state: DeviceState
  link: string
  enrolledAt: Date | null
  fencingNumber: bigint
  phoneId: string | null
  confirmedEpoch: string | null
  cleanFor: string
  custodyRevision: bigint
  /** Set while the device's new host has not taken it over. */
  adoptingSince: Date | null
}

export interface Reported {
  fencing_number: number
  /** Omitted by older agents, which are not reconciled and get no new phones. */
  custody?: CustodyReport | undefined
}

export type Verdict =
  /**
   * Row and record agree, or the report is older than the row, or the host has no record of the device yet.
   */
  | { kind: 'agreed' }
  /** An idle device is clean and may be assigned. */
  | { kind: 'clean' }
  /** An idle device is clean under a number that the row does not have. */
  | { kind: 'clean ahead' }
  /** An idle device is not clean, and cannot be wiped now. */
  | { kind: 'not clean' }
  /** An idle device is not clean. */
  | { kind: 'wipe' }
  /** The row differs only by its fencing number, which is too low. */
  | { kind: 'renumber' }
  /**
   * The number of a wipe, an enrolment or a phone's assignment was already used: the order needs a
   * new number.
   */
  | { kind: 'order again' }
  /** The phone's device was wiped after the time in the row. */
  | { kind: 'wiped since' }
  /** Another phone used the phone's device last. */
  | { kind: 'used by another' }
  /** The phone's device was used, and the record does not name the phone. */
  | { kind: 'used by unknown' }
  /** The number is implausibly far ahead. */
  | { kind: 'far ahead' }
  /** The agent refused a number that is higher than the number that it reports. */
  | { kind: 'contradicts itself' }

export function judge(row: CustodyRow, { fencing_number, custody }: Reported): Verdict {
  if (!custody || row.adoptingSince || BigInt(custody.revision) < row.custodyRevision)
    return { kind: 'agreed' }
  const reported = BigInt(fencing_number)
  if (reported - row.fencingNumber > longestJump)
    return { kind: row.state === 'quarantined' ? 'agreed' : 'far ahead' }
  const isAhead = reported > row.fencingNumber
  switch (row.state) {
    case 'free':
    case 'offline':
    case 'unauthorized':
      return row.enrolledAt ? judgeIdle(row, custody, reported) : { kind: isAhead ? 'renumber' : 'agreed' }
    case 'wiping':
    case 'provisioning': {
      const isTaken = reported === row.fencingNumber && custody.assignment?.fencing_number === fencing_number
      return { kind: isAhead || isTaken ? 'order again' : 'agreed' }
    }
    case 'assigned':
      return judgeAssigned(row, custody, isAhead)
    case 'unenrolled':
    case 'quarantined':
      return { kind: isAhead ? 'renumber' : 'agreed' }
  }
}

/** A record that is older than an idle device's row has lost entries and proves nothing. */
function judgeIdle(row: CustodyRow, { clean_for: cleanFor }: CustodyReport, reported: bigint): Verdict {
  if (cleanFor !== '' && reported >= row.fencingNumber)
    return { kind: reported > row.fencingNumber ? 'clean ahead' : 'clean' }
  if (isUp(row.link)) return { kind: 'wipe' }
  return { kind: row.confirmedEpoch === null && reported <= row.fencingNumber ? 'agreed' : 'not clean' }
}

function judgeAssigned(row: CustodyRow, custody: CustodyReport, isAhead: boolean): Verdict {
  const { assignment } = custody
  if (assignment?.phone_id === row.phoneId) return { kind: isAhead ? 'order again' : 'agreed' }
  if (assignment) return { kind: 'used by another' }
  if (custody.clean_for === '') return { kind: 'used by unknown' }
  return { kind: isAhead ? 'wiped since' : 'agreed' }
}
