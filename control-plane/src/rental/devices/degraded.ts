/**
 * Decides when, and for how long, devices of one host fail together, so that the fault is probably the
 * host's: its USB hub, power, adb server or network. Pure; times in milliseconds. docs/decisions/0219
 */

export interface DegradedRules {
  /** The window in which failures of several devices count together. 0: no host is ever degraded. */
  windowMs: number
  /** A lost link counts after this time, since phones and agents restart. */
  linkGraceMs: number
  /**
   * A host that failed starts alone have degraded takes creates again this long after the newest failed
   * start.
   */
  startHoldMs: number
}

/** A device in service: enrolled, not drained, not in maintenance. */
export interface DeviceFacts {
  id: string
  /** When a wipe or an enrolment last failed; null: none failed since the last success. */
  failedAt: number | null
  /** When a start last failed; null: no start failed since the last success. */
  startFailedAt: number | null
  /** When the device's link was lost; null while the link is up. */
  linkLostAt: number | null
  /** The owner of the phone that holds the device; null: no phone holds it. */
  heldBy: string | null
}

/** The number of failing devices from which a host with `count` devices is degraded: half of them, from 2 to 5. */
export const degradedFrom = (count: number): number => Math.max(2, Math.min(5, Math.ceil(count / 2)))

const isWithin = (at: number | null, now: number, ms: number): at is number => at !== null && at > now - ms

/** Whether the device failed within the window. */
function isFailing(device: DeviceFacts, now: number, rules: DegradedRules): boolean {
  if (isWorkFailure(device, now, rules)) return true
  const { linkLostAt } = device
  return isWithin(linkLostAt, now, rules.windowMs) && linkLostAt <= now - rules.linkGraceMs
}

const isWorkFailure = (
  { failedAt, startFailedAt }: DeviceFacts,
  now: number,
  { windowMs }: DegradedRules,
): boolean => isWithin(failedAt, now, windowMs) || isWithin(startFailedAt, now, windowMs)

export interface Verdict {
  /** Devices that failed within the window. */
  failing: string[]
  /**
   * So many devices fail, with the lost links of each owner counted once, that the fault is probably the
   * host's.
   */
  isTogether: boolean
  /** The same as `isTogether`, computed without the failed starts. */
  isTogetherWithoutStarts: boolean
  /** The newest failed start within the window; null: none. */
  lastFailedStart: number | null
}

export function judgeHost(devices: readonly DeviceFacts[], now: number, rules: DegradedRules): Verdict {
  const failing = devices.filter((device) => isFailing(device, now, rules))
  const starts = failing.flatMap(({ startFailedAt: at }) => (isWithin(at, now, rules.windowMs) ? [at] : []))
  return {
    failing: failing.map(({ id }) => id),
    isTogether: areTogether(devices, now, rules),
    isTogetherWithoutStarts: areTogether(
      devices.map((device) => ({ ...device, startFailedAt: null })),
      now,
      rules,
    ),
    lastFailedStart: starts.length > 0 ? Math.max(...starts) : null,
  }
}

function areTogether(devices: readonly DeviceFacts[], now: number, rules: DegradedRules): boolean {
  // A tenant can restart its phones on their screens, so all links that one owner lost count as one failure.
  const failures = new Set(
    devices
      .filter((device) => isFailing(device, now, rules))
      .map((device) =>
        device.heldBy === null || isWorkFailure(device, now, rules)
          ? `device ${device.id}`
          : `owner ${device.heldBy}`,
      ),
  )
  return rules.windowMs > 0 && failures.size >= degradedFrom(devices.length)
}

/** The state of a degraded host, which gets no new phones before `until`. */
export interface Degraded {
  until: number
  /** Whether only failed starts caused the state. */
  byStarts: boolean
}

/**
 * Computes a host's next state; null: the host gets new phones. A state that failed starts caused ends soon,
 * since a degraded host gets no creates that could show that starts work again; the next failed start
 * degrades it again. A state with other causes ends a window after devices last failed together, since lost
 * links that come back leave no trace.
 */
export function nextDegraded(
  { isTogether, isTogetherWithoutStarts, lastFailedStart }: Verdict,
  before: Degraded | null,
  now: number,
  { windowMs, startHoldMs }: DegradedRules,
): Degraded | null {
  if (isTogetherWithoutStarts) return { until: Math.max(before?.until ?? 0, now + windowMs), byStarts: false }
  if (before && before.until > now && !before.byStarts) return before
  if (!isTogether || lastFailedStart === null) return null
  const until = lastFailedStart + startHoldMs
  return until > now ? { until, byStarts: true } : null
}
