/**
 * What a device's row and its agent's record mean together: the database may be older than the record, after a restore
 * or a failover. Pure. docs/decisions/0141
 */
import { type CustodyReport } from '@phonerack/shared'
import { isUp, type DeviceState } from './link.js'

/** A number that is further ahead is no lost write: a host must not exhaust the numbers. */
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
}

export interface Reported {
  fencing_number: number
  /** Left out: an older agent, which is not reconciled and gets no new phones. */
  custody?: CustodyReport | undefined
}

export type Verdict =
  /** Row and record agree, or the report is older than the row. */
  | { kind: 'agreed' }
  /** An idle device is clean: it may be handed out. */
  | { kind: 'clean' }
  /** The same, under a number that the row does not know. */
  | { kind: 'clean ahead' }
  /** An idle device is not clean, but cannot be wiped now. */
  | { kind: 'not clean' }
  /** An idle device is not clean. */
  | { kind: 'wipe' }
  /** Only the number is behind. */
  | { kind: 'renumber' }
  /** The number of a wipe, an enrolment or a phone's assignment was used up: what was ordered needs a new one. */
  | { kind: 'order again' }
  /** The device of a phone was wiped after what the row says. */
  | { kind: 'wiped since' }
  /** The device of a phone was last used by another one. */
  | { kind: 'used by another' }
  /** The device of a phone was used, and the record does not say by whom. */
  | { kind: 'used by unknown' }
  /** The number cannot be believed. */
  | { kind: 'far ahead' }
  /** It refused a number for one that is lower. */
  | { kind: 'contradicts itself' }

export function judge(row: CustodyRow, { fencing_number, custody }: Reported): Verdict {
  if (!custody || BigInt(custody.revision) < row.custodyRevision) return { kind: 'agreed' }
  const told = BigInt(fencing_number)
  if (told - row.fencingNumber > longestJump)
    return { kind: row.state === 'quarantined' ? 'agreed' : 'far ahead' }
  const isAhead = told > row.fencingNumber
  switch (row.state) {
    case 'free':
    case 'offline':
    case 'unauthorized':
      return row.enrolledAt ? judgeIdle(row, custody, told) : { kind: isAhead ? 'renumber' : 'agreed' }
    case 'wiping':
    case 'provisioning': {
      const isTaken = told === row.fencingNumber && custody.assignment?.fencing_number === fencing_number
      return { kind: isAhead || isTaken ? 'order again' : 'agreed' }
    }
    case 'assigned':
      return judgeAssigned(row, custody, isAhead)
    case 'unenrolled':
    case 'quarantined':
      return { kind: isAhead ? 'renumber' : 'agreed' }
  }
}

/** A record that is behind an idle device has forgotten something: it proves nothing. */
function judgeIdle(row: CustodyRow, { clean_for: cleanFor }: CustodyReport, told: bigint): Verdict {
  if (cleanFor !== '' && told >= row.fencingNumber)
    return { kind: told > row.fencingNumber ? 'clean ahead' : 'clean' }
  if (isUp(row.link)) return { kind: 'wipe' }
  return { kind: row.confirmedEpoch === null && told <= row.fencingNumber ? 'agreed' : 'not clean' }
}

function judgeAssigned(row: CustodyRow, custody: CustodyReport, isAhead: boolean): Verdict {
  const { assignment } = custody
  if (assignment?.phone_id === row.phoneId) return { kind: isAhead ? 'order again' : 'agreed' }
  if (assignment) return { kind: 'used by another' }
  if (custody.clean_for === '') return { kind: 'used by unknown' }
  return { kind: isAhead ? 'wiped since' : 'agreed' }
}
