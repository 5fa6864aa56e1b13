import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escalate, escalationRules, noEscalation, steps, type Obstacles, type Taken } from './escalation.js'

const free: Obstacles = { port_reset: null, reboot: null }
const obstacles = fc.record({
  port_reset: fc.constantFrom<string | null>(null, 'no way'),
  reboot: fc.constantFrom<string | null>(null, 'not ours'),
})
const eventSequences = fc.array(
  fc.record({
    outcome: fc.oneof(
      { weight: 4, arbitrary: fc.constant('hung' as const) },
      { weight: 1, arbitrary: fc.constant('answered' as const) },
    ),
    afterMs: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 4_000_000 }) },
    ),
    obstacles,
  }),
  { maxLength: 80 },
)

interface Seen extends Taken {
  at: number
  hangsBefore: number
}

/** Runs the events. `hangsBefore` counts hangs since the last answer or step, independently of the code. */
function play(sequence: typeof eventSequences extends fc.Arbitrary<infer T> ? T : never): Seen[] {
  let state = noEscalation
  let [now, hangs] = [0, 0]
  const seen: Seen[] = []
  for (const each of sequence) {
    now += each.afterMs
    hangs = each.outcome === 'hung' ? hangs + 1 : 0
    const result = escalate(state, each.outcome, now, each.obstacles)
    state = result.state
    seen.push(...result.taken.map((taken) => ({ ...taken, at: now, hangsBefore: hangs })))
    if (result.taken.length > 0) hangs = 0
    else expect(hangs).toBeLessThan(escalationRules.hangs)
  }
  return seen
}

describe('three consecutive hangs', () => {
  it('take the steps in order', () => {
    const seen = play(Array.from({ length: 15 }, () => ({ outcome: 'hung', afterMs: 2000, obstacles: free })))
    expect(seen.map(({ step }) => step)).toEqual([...steps, 'quarantine'])
  })

  it('skip impossible steps, and report them', () => {
    const closed = { port_reset: 'no root', reboot: null }
    const seen = play(
      Array.from({ length: 9 }, () => ({ outcome: 'hung', afterMs: 2000, obstacles: closed })),
    )
    expect(seen.map(({ step, skipped }) => [step, skipped])).toEqual([
      ['reconnect', null],
      ['port_reset', 'no root'],
      ['reboot', null],
      ['quarantine', null],
    ])
  })

  it('are needed for each step, and always take one', () => {
    fc.assert(
      fc.property(eventSequences, (sequence) => {
        for (const { hangsBefore } of play(sequence)) expect(hangsBefore).toBe(escalationRules.hangs)
      }),
    )
  })

  it('restart no phone that must not be restarted, and no phone twice within an hour', () => {
    fc.assert(
      fc.property(eventSequences, (sequence) => {
        const reboots = play(sequence).filter(({ step, skipped }) => step === 'reboot' && skipped === null)
        reboots.slice(1).forEach(({ at }, index) => {
          expect(at - (reboots[index]?.at ?? 0)).toBeGreaterThanOrEqual(escalationRules.rebootEveryMs)
        })
        const forbidden = sequence.map((each) => ({
          ...each,
          obstacles: { ...each.obstacles, reboot: 'not ours' },
        }))
        expect(play(forbidden).some(({ step, skipped }) => step === 'reboot' && skipped === null)).toBe(false)
      }),
    )
  })

  it('start with the gentle step again only after a calm period', () => {
    fc.assert(
      fc.property(eventSequences, (sequence) => {
        const done = play(sequence).filter(({ skipped }) => skipped === null)
        done.slice(1).forEach(({ step, at }, index) => {
          const before = done[index]
          if (!before || at - before.at >= escalationRules.calmMs) return
          const order = [steps.indexOf(before.step), steps.indexOf(step)] as const
          expect(step === 'quarantine' || order[1] > order[0]).toBe(true)
        })
      }),
    )
  })
})
