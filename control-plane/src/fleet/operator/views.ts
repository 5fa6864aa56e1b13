/** Converts rows to JSON for operators. */
import { formatUsd, type DeviceCondition, type DeviceEvent, type HostFault } from '@phonerack/shared'
import { type Rules } from '../../base/config/config.js'
import { type OpenRotation } from '../../base/db/authority-rotation.js'
import { isDegraded } from '../../rental/devices/failures.js'
import { isUp, type DeviceState } from '../../rental/devices/link.js'
import { nextStepOf, type Check } from '../../rental/devices/quarantine.js'
import { expiryOf } from '../hosts/certificates.js'
import { type Device, type Host, type Project } from '../../gen/prisma/client.js'

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

/**
 * `degraded`: the host's devices fail together. `refusing`: the host's agent takes no new work. `stopping`:
 * the agent received SIGTERM.
 */
export type HostState = 'online' | 'degraded' | 'refusing' | 'stopping' | 'late' | 'lost' | 'retired'

export function hostState(
  host: Pick<Host, 'lastSeenAt' | 'retiredAt' | 'refuses' | 'degradedUntil'>,
  now: Date,
  rules: Rules,
): HostState {
  if (host.retiredAt) return 'retired'
  const silence = host.lastSeenAt ? now.getTime() - host.lastSeenAt.getTime() : Infinity
  if (silence <= rules.hostLateAfterMs) return answering(host, now)
  return silence <= rules.hostLostAfterMs ? 'late' : 'lost'
}

function answering(host: Pick<Host, 'refuses' | 'degradedUntil'>, now: Date): HostState {
  if (host.refuses !== null)
    return host.refuses === ('stopping' satisfies HostFault) ? 'stopping' : 'refusing'
  return isDegraded(host, now) ? 'degraded' : 'online'
}

/**
 * `unreported`: the host's agent is of an earlier release, or has not been heard yet. `earlier`, `both`: the
 * host trusts the earlier authority only, or the next authority too. `renewed`: the host's certificate is
 * from the next authority.
 */
type HostTrust = 'unreported' | 'earlier' | 'both' | 'renewed'

/**
 * How far a host is in an open rotation of the authority; null: no rotation is open, or the host is retired.
 */
function trustOf(host: Host, rotation: OpenRotation | null) {
  if (rotation === null || host.retiredAt !== null) return null
  const { phase, next } = rotation
  const isTrusted = host.trustedAuthorities.includes(next)
  const isRenewed = host.certificateAuthority === next
  const isReported = host.trustedAuthorities.length > 0
  const trust: HostTrust = isRenewed ? 'renewed' : isTrusted ? 'both' : isReported ? 'earlier' : 'unreported'
  // `rotate-authority` decides by the same rule.
  return { phase, trust, is_ready: phase === 'begun' ? isTrusted : isRenewed }
}

/** @param running the host's phones with an open session */
export const hostView = (
  host: Host & { _count: { devices: number } },
  running: number,
  rotation: OpenRotation | null,
  now: Date,
  rules: Rules,
) => ({
  id: host.id,
  name: host.name,
  country: host.country,
  labels: host.labels as Record<string, string>,
  state: hostState(host, now, rules),
  address: host.address,
  version: host.version,
  protocol_version: host.protocolVersion,
  report_fault: host.reportFault,
  problem: host.problem,
  /** Why the host's agent takes no new work, with the next step; null: the agent takes work. */
  refuses: host.refusesReason,
  /** Why the host gets no new phones, with the next step; null: the host's devices do not fail together. */
  degraded: isDegraded(host, now) ? host.degradedReason : null,
  degraded_until: isDegraded(host, now) ? iso(host.degradedUntil) : null,
  last_seen_at: iso(host.lastSeenAt),
  devices: host._count.devices,
  running,
  retired_at: iso(host.retiredAt),
  certificate_expires_at: expiryOf(host).toISOString(),
  authority_rotation: trustOf(host, rotation),
  /** When the host was drained; null: the host takes new work. */
  drained_at: iso(host.drainedAt),
  /** When the host's running phones become unavailable. */
  drain_until: iso(host.drainUntil),
})

export interface Capability {
  name: string
  implementation: string | null
  evidence: string | null
}

export const deviceView = (device: Device & { host: Host }, now: Date, rules: Rules) => ({
  id: device.id,
  host_id: device.hostId,
  host_name: device.host.name,
  host_state: hostState(device.host, now, rules),
  serial: device.serial,
  maker: device.maker,
  model: device.model,
  sdk: device.sdk,
  state: device.state as DeviceState,
  reason: device.reason,
  /** The operator's next step for a quarantined device. */
  next_step: nextStepOf({ ...device, checks: device.wipeChecks as unknown as readonly Check[] }),
  report_fault: device.reportFault,
  phone_id: device.phoneId,
  fencing_number: Number(device.fencingNumber),
  /** The tenant for which the host last confirmed the device as clean: `anyone`, one tenant, or null. */
  clean_for: device.cleanFor || null,
  link: linkOf(device, hostState(device.host, now, rules)),
  drained_at: iso(device.drainedAt),
  drain_until: iso(device.drainUntil),
  /** Since when the device's new host has not taken it over; null: the device is not moving. */
  moving_since: iso(device.adoptingSince),
  /**
   * Since when the device's phone claims the identity of another device, which is in `reason`; null: no
   * claim.
   */
  claimed_since: iso(device.claimedSince),
  /** Whether the device can prove its identity at another host. */
  has_identity: device.identityKey !== null,
  /** Set while an operator keeps the device out of the pool. */
  maintenance: maintenanceOf(device),
  last_proof_at: iso(isUp(device.link) ? device.host.lastSeenAt : device.lastProofAt),
  // Written by `fold-devices.ts` from heartbeats that were read.
  capabilities: device.capabilities as unknown as Capability[],
  wipe_checks: device.wipeChecks as unknown as Check[],
  events: device.events as unknown as DeviceEvent[],
  condition: device.condition as unknown as DeviceCondition | null,
})

/** A lost host reports no links, so the last link says nothing about the device. */
const linkOf = ({ link }: Device, host: HostState): string =>
  host === 'lost' || host === 'retired' ? 'unknown' : link

const maintenanceOf = ({ maintenanceAt: since, maintenanceNote: note }: Device) =>
  since === null || note === null ? null : { since: since.toISOString(), note }

export const projectView = (project: Project) => ({
  id: project.id,
  name: project.name,
  owner_id: project.ownerId,
  balance_usd: formatUsd(project.balanceMicros),
  reserved_usd: formatUsd(project.reservedMicros),
  spend_limit_usd: formatUsd(project.spendLimitMicros),
  max_phones: project.maxPhones,
  max_running: project.maxRunning,
  /** Null: no limit. */
  parked_limit: project.parkedLimit,
  frozen_at: iso(project.frozenAt),
  shell: project.shellEnabled,
  steps: project.stepsEnabled,
  steps_text: project.stepsText,
  steps_pictures: project.stepsPictures,
  steps_max_bytes: Number(project.stepsMaxBytes),
})
