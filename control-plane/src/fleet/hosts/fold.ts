/** Computes the table changes of a heartbeat. Pure; `now` is the control plane's clock. */
import { isDeepStrictEqual } from 'node:util'
import { type DeviceCondition, type DeviceEvent, type DeviceStatus, type Heartbeat } from '@phonerack/shared'
import { isClaimOver } from './claim-rests.js'
import { longestJump } from '../../rental/devices/custody.js'
import { notBelieved } from '../../rental/devices/quarantine.js'
import { isUp, stateAfterReport, stateWhenSeen, type DeviceState } from '../../rental/devices/link.js'

export interface KnownHost {
  sequence: bigint
  announcedAt: Date | null
  lastSeenAt: Date | null
}

/**
 * True when a heartbeat is newer than the last heartbeat. The sequence orders the messages of one agent
 * process. A restarted agent starts a new sequence, which its clock shows, or, when that clock was set back,
 * the silence before it (`lateAfterMs`).
 */
export function isNewer(known: KnownHost, heartbeat: Heartbeat, now: Date, lateAfterMs: number): boolean {
  if (known.announcedAt === null || known.lastSeenAt === null) return true
  if (BigInt(heartbeat.sequence) > known.sequence) return true
  if (new Date(heartbeat.at) > known.announcedAt) return true
  return now.getTime() - known.lastSeenAt.getTime() > lateAfterMs
}

export interface KnownDevice {
  id: string
  serial: string
  state: DeviceState
  link: string
  linkLostAt: Date | null
  lastProofAt: Date | null
  enrolledAt: Date | null
  fencingNumber: bigint
  maker: string | null
  model: string | null
  sdk: number | null
  reason: string | null
  /** Null: the phone has no claim that waits. */
  claimedSince: Date | null
  /** When the claim was last checked. */
  claimCheckedAt: Date | null
  /** JSON as read from the table. */
  events: unknown
  condition: unknown
}

export interface DeviceChange {
  state: DeviceState
  link: string
  linkLostAt: Date | null
  lastProofAt: Date | null
  freedAt?: Date
  maker: string | null
  model: string | null
  sdk: number | null
  reason: string | null
  /** Present only if the events changed. */
  events?: DeviceEvent[]
  condition?: DeviceCondition
  claimedSince?: null
}

const absent = {
  link: 'absent',
  reason: null,
  proof_of_life_at: null,
  maker: null,
  model: null,
  sdk: null,
} as const

/**
 * The change of a known device after a report, or null. `status` is null when the agent no longer
 * reports the device.
 */
export function deviceChange(
  known: KnownDevice,
  status: DeviceStatus | null,
  host: KnownHost,
  now: Date,
): DeviceChange | null {
  const report = status ?? absent
  const state = stateAfterReport(known.state, known.enrolledAt !== null, report.link)
  const change: DeviceChange = {
    state,
    link: report.link,
    ...proofOfLife(known, report, host, now),
    maker: report.maker ?? known.maker,
    model: report.model ?? known.model,
    sdk: report.sdk ?? known.sdk,
    reason: reasonAfter(known, status?.identity === undefined ? null : known.claimedSince, report.reason),
    ...(isClaimMissing(known, status, now) ? { claimedSince: null } : {}),
  }
  if (state === 'free' && known.state !== 'free') change.freedAt = now
  // A report without events leaves the stored events in place.
  const events = status?.events
  if (events && !isDeepStrictEqual(events, known.events)) change.events = events
  const condition = status?.condition
  if (condition && !isDeepStrictEqual(condition, known.condition)) change.condition = condition
  const same =
    !change.events &&
    !change.condition &&
    change.claimedSince === undefined &&
    change.state === known.state &&
    change.link === known.link &&
    change.maker === known.maker &&
    change.model === known.model &&
    change.sdk === known.sdk &&
    change.reason === known.reason
  return same ? null : change
}

/**
 * Converts the report's proof of life to the control plane's clock. The age of the proof when the report was
 * sent does not depend on how the agent's clock is set.
 */
export function inOurTime(status: DeviceStatus, sentAt: string, now: Date): DeviceStatus {
  if (status.proof_of_life_at === null) return status
  const age = Math.max(0, Date.parse(sentAt) - Date.parse(status.proof_of_life_at))
  return { ...status, proof_of_life_at: new Date(Math.max(0, now.getTime() - age)).toISOString() }
}

/** One report without the claim may be incomplete, or may be sent to avoid the quarantine. */
const isClaimMissing = (
  { claimedSince, claimCheckedAt }: KnownDevice,
  status: DeviceStatus | null,
  now: Date,
): boolean => claimedSince !== null && status?.identity === undefined && isClaimOver(claimCheckedAt, now)

/** When the link was lost, and the last proof of life before the loss. */
function proofOfLife(
  known: KnownDevice,
  report: { link: string; proof_of_life_at: string | null },
  host: KnownHost,
  now: Date,
): { linkLostAt: Date | null; lastProofAt: Date | null } {
  if (isUp(report.link)) return { linkLostAt: null, lastProofAt: now }
  if (!isUp(known.link)) return { linkLostAt: known.linkLostAt ?? now, lastProofAt: known.lastProofAt }
  const said = report.proof_of_life_at ? new Date(report.proof_of_life_at) : host.lastSeenAt
  const proof = said && said <= now ? said : now
  return { linkLostAt: now, lastProofAt: proof }
}

/** The row of a device that is reported for the first time. */
export function newDevice(status: DeviceStatus, now: Date) {
  const isHealthy = isUp(status.link)
  const reported = BigInt(status.fencing_number)
  const isBelieved = reported <= longestJump
  return {
    serial: status.serial,
    state: isBelieved ? stateWhenSeen(status.link) : 'quarantined',
    link: status.link,
    linkLostAt: isHealthy ? null : now,
    lastProofAt: isHealthy ? now : null,
    fencingNumber: isBelieved ? reported : 0n,
    maker: status.maker,
    model: status.model,
    sdk: status.sdk,
    reason: isBelieved ? status.reason : notBelieved(reported, 0n),
    ...(status.events ? { events: status.events } : {}),
    ...(status.condition ? { condition: status.condition } : {}),
  }
}

/**
 * The reason of a device after a report. The control plane's reason of a quarantine stays. The reason of a
 * claim stays while the phone claims. The reason of a waiting wipe or enrolment stays until the host reports
 * another reason.
 */
function reasonAfter(
  { state, reason }: Pick<KnownDevice, 'state' | 'reason'>,
  claimedSince: Date | null,
  reported: string | null,
) {
  if (state === 'quarantined' || claimedSince !== null) return reason
  return state === 'wiping' || state === 'provisioning' ? (reported ?? reason) : reported
}
