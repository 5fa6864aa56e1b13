/**
 * What is done for a phone whose calls hang, as a pure function: three in a row
 * without an answer between them take the next step, gentle ones first. Run by
 * `rescue.ts`. docs/decisions/0075.
 */

export const steps = ['reconnect', 'port_reset', 'reboot', 'quarantine'] as const
export type Step = (typeof steps)[number]

export interface Escalation {
  /** Calls in a row whose time passed without an answer. */
  hangs: number
  /** Index of the step that comes next. */
  next: number
  /** Milliseconds of a clock that only grows; null: never. */
  steppedAt: number | null
  rebootedAt: number | null
}

/** Why a step cannot be taken now; null: it can. */
export type Obstacles = Readonly<Record<'port_reset' | 'reboot', string | null>>

/** A step, or why it was passed over. */
export interface Taken {
  step: Step
  skipped: string | null
}

export const escalationRules = {
  hangs: 3,
  /** So long without a step, and the phone is taken to be well again. */
  calmMs: 5 * 60_000,
  /** A phone that may be rented is restarted once in so long; else it goes out of service. */
  rebootEveryMs: 60 * 60_000,
} as const

export const noEscalation: Escalation = { hangs: 0, next: 0, steppedAt: null, rebootedAt: null }

/** `now`: milliseconds of a clock that only grows. */
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
        // The last one again, should it answer meanwhile and hang once more.
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
  return obstacles.reboot ?? (soon ? 'it was restarted for this reason less than an hour ago' : null)
}
