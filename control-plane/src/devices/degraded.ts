/**
 * Decides when devices of one host fail together, so that the fault is probably the host's: its USB hub, power, adb server or
 * network. Pure; times in milliseconds. docs/decisions/0219
 */

export interface DegradedRules {
  /** Failures count as together within this time. 0: no host is ever degraded. */
  windowMs: number
  /** A lost link counts after this time: phones and agents restart. */
  linkGraceMs: number
}

/** A device in service: enrolled, not drained, not in maintenance. */
export interface DeviceFacts {
  id: string
  /** The last time that work on it failed; null: since then it succeeded, or it never failed. */
  failedAt: number | null
  /** When its link was lost; null while it is up. */
  linkLostAt: number | null
  /** The owner of the phone that holds it; null: no phone does. */
  heldBy: string | null
}

/** The number of failing devices from which a host with `count` devices is degraded: half of them, from 2 to 5. */
export const degradedFrom = (count: number): number => Math.max(2, Math.min(5, Math.ceil(count / 2)))

/** Whether the device failed within the window. */
export function isFailing(
  { failedAt, linkLostAt }: DeviceFacts,
  now: number,
  { windowMs, linkGraceMs }: DegradedRules,
): boolean {
  const since = now - windowMs
  if (isWorkFailure(failedAt, now, windowMs)) return true
  return linkLostAt !== null && linkLostAt > since && linkLostAt <= now - linkGraceMs
}

const isWorkFailure = (failedAt: number | null, now: number, windowMs: number): boolean =>
  failedAt !== null && failedAt > now - windowMs

export interface Verdict {
  /** Devices that failed within the window. */
  failing: string[]
  /** Enough of them, with the lost links of each owner counted once, that the fault is probably the host's. */
  isTogether: boolean
}

export function judgeHost(devices: readonly DeviceFacts[], now: number, rules: DegradedRules): Verdict {
  const failing = devices.filter((device) => isFailing(device, now, rules))
  // A tenant can restart its phones on their screens, so all links that one owner lost are one failure.
  const failures = new Set(
    failing.map(({ id, failedAt, heldBy }) =>
      heldBy === null || isWorkFailure(failedAt, now, rules.windowMs) ? `device ${id}` : `owner ${heldBy}`,
    ),
  )
  return {
    failing: failing.map(({ id }) => id),
    isTogether: rules.windowMs > 0 && failures.size >= degradedFrom(devices.length),
  }
}

/** When the state ends: a window after the last moment at which devices failed together. */
export const degradedUntil = (
  { isTogether }: Verdict,
  before: number | null,
  now: number,
  { windowMs }: DegradedRules,
): number | null => (isTogether ? Math.max(before ?? 0, now + windowMs) : before)
