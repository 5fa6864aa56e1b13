/**
 * Recovery steps for a phone whose calls hang, as a pure function: three consecutive hangs trigger the next
 * step, in the order from gentle to disruptive. Run by `rescue.ts`.
 */

export const steps = ['reconnect', 'port_reset', 'reboot', 'quarantine'] as const
export type Step = (typeof steps)[number]

interface Escalation {
  /** Consecutive calls that timed out. */
  hangs: number
  /** Index of the next step. */
  next: number
  /** Time of the last step, in milliseconds on a monotonic clock. Null before the first step. */
  steppedAt: number | null
  rebootedAt: number | null
}

/** Why a step is impossible now; null when the step is possible. */
export type Obstacles = Readonly<Record<'port_reset' | 'reboot', string | null>>

/** A step, or the reason why it was skipped. */
export interface Taken {
  step: Step
  skipped: string | null
}

export const escalationRules = {
  hangs: 3,
  /** After this long without a step, the phone counts as recovered. */
  calmMs: 5 * 60_000,
  /**
   * Minimum interval between restarts of a phone that may be rented; within it, the
   * phone goes out of service instead.
   */
  rebootEveryMs: 60 * 60_000,
} as const

export const noEscalation: Escalation = { hangs: 0, next: 0, steppedAt: null, rebootedAt: null }

/** @param now milliseconds on a monotonic clock */
export function escalate(
  state: Escalation,
  outcome: 'answered' | 'hung',
  now: number,
  obstacles: Obstacles,
): { state: Escalation; taken: Taken[] } {
  if (outcome === 'answered') {
    const calm = state.steppedAt === null || now - state.steppedAt >= escalationRules.calmMs
    const next = calm ? 0 : state.next
    const same = state.hangs === 0 && next === state.next
    return { state: same ? state : { ...state, hangs: 0, next }, taken: [] }
  }
  const hangs = state.hangs + 1
  if (hangs < escalationRules.hangs) return { state: { ...state, hangs }, taken: [] }
  const taken: Taken[] = []
  for (let at = state.next; ; at += 1) {
    const step = steps[at] ?? 'quarantine'
    const skipped = obstacleOf(step, state, now, obstacles)
    taken.push({ step, skipped })
    if (skipped !== null) continue
    return {
      taken,
      state: {
        hangs: 0,
        // The last step is repeated when the phone recovers and hangs again.
        next: Math.min(at + 1, steps.length - 1),
        steppedAt: now,
        rebootedAt: step === 'reboot' ? now : state.rebootedAt,
      },
    }
  }
}

function obstacleOf(
  step: Step,
  { rebootedAt }: Escalation,
  now: number,
  obstacles: Obstacles,
): string | null {
  if (step === 'port_reset') return obstacles.port_reset
  if (step !== 'reboot') return null
  const soon = rebootedAt !== null && now - rebootedAt < escalationRules.rebootEveryMs
  return obstacles.reboot ?? (soon ? 'the phone was restarted for this reason less than an hour ago' : null)
}
