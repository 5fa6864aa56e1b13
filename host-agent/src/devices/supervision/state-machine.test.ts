/** The two rules of the state machine, for any sequence of events, and its transitions. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  entryOf,
  isSameState,
  nextState,
  type DeviceEvent,
  type DeviceState,
  type Link,
} from './state-machine.js'

const link = fc.constantFrom<Link>('absent', 'offline', 'unauthorized', 'online')
const event: fc.Arbitrary<DeviceEvent> = fc.oneof(
  fc.constant({ type: 'restarts' as const }),
  fc.record({ type: fc.constant('link' as const), link }),
  fc.record({ type: fc.constant('identified' as const), booted: fc.boolean(), enrolled: fc.boolean() }),
  fc.constant({ type: 'provisioned' as const }),
  fc.constant({ type: 'probe_passed' as const }),
  fc.record({ type: fc.constant('failed' as const), reason: fc.constant('x'), hung: fc.boolean() }),
  fc.record({ type: fc.constant('failed' as const), reason: fc.constant('x'), hostFault: fc.boolean() }),
  fc.constant({ type: 'gave_up' as const, reason: 'z' }),
  fc.constant({ type: 'timed_out' as const }),
  fc.record({
    type: fc.constant('work_begins' as const),
    work: fc.constantFrom('provisioning' as const, 'wiping' as const),
  }),
  fc.record({
    type: fc.constant('work_ends' as const),
    link,
    failure: fc.option(fc.constant('y'), { nil: null }),
  }),
)
const events = fc.array(event, { maxLength: 60 })
const start = { name: 'absent' } as DeviceState

describe('any sequence of events', () => {
  it('enters healthy only after a successful probe', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        let state: DeviceState = start
        for (const event of sequence) {
          const next = nextState(state, event)
          if (next.name === 'healthy' && state.name !== 'healthy') expect(event.type).toBe('probe_passed')
          state = next
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('never counts a fault of the host against the phone', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        const state = sequence.reduce(nextState, start)
        let after = state
        for (let times = 0; times < 30; times += 1)
          after = nextState(after, { type: 'failed', reason: 'ENOSPC', hostFault: true })
        if (state.name !== 'quarantined') expect(after.name).not.toBe('quarantined')
        const failures = (each: DeviceState) => ('failures' in each ? each.failures : 0)
        expect(failures(after)).toBeLessThanOrEqual(failures(state))
        expect(after.name).not.toBe('healthy')
      }),
      { numRuns: 1000 },
    )
  })

  it('leaves healthy after two consecutive failed probes, and immediately when the link is lost', () => {
    fc.assert(
      fc.property(events, link, (sequence, newLink) => {
        const state = sequence.reduce(nextState, start)
        if (state.name !== 'healthy') return
        const failure: DeviceEvent = { type: 'failed', reason: 'x' }
        expect(nextState(nextState(state, failure), failure).name).not.toBe('healthy')
        if (newLink !== 'online')
          expect(nextState(state, { type: 'link', link: newLink }).name).not.toBe('healthy')
      }),
      { numRuns: 2000 },
    )
  })

  it('writes nothing to a device that was neither identified as enrolled nor released by a call', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        let state: DeviceState = start
        let allowed = false
        for (const event of sequence) {
          if (event.type === 'work_begins') allowed = true
          if (event.type === 'identified') allowed = event.enrolled || allowed
          // Until a call begins or the phone is identified as enrolled, no state's effect may write.
          state = nextState(state, event)
          if (!allowed) expect(entryOf(state, 0.5).effect).not.toBe('provision')
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('only reads a device that is not enrolled, until a call starts work or it is identified as enrolled', () => {
    fc.assert(
      fc.property(events, events, (before, after) => {
        const answered = nextState(before.reduce(nextState, start), {
          type: 'identified',
          booted: true,
          enrolled: false,
        })
        if (answered.name !== 'unenrolled') return
        let state: DeviceState = answered
        for (const event of after) {
          if (event.type === 'work_begins' || (event.type === 'identified' && event.enrolled)) return
          state = nextState(state, event)
          expect(entryOf(state, 0.5).effect).not.toBe('provision')
          expect(state.name).not.toBe('healthy')
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('never stops in a state without an exit: each state waits for the link, an operation, or its own effect', () => {
    fc.assert(
      fc.property(events, fc.double({ min: 0, max: 1, noNaN: true }), (sequence, jitter) => {
        const state = sequence.reduce(nextState, start)
        const entry = entryOf(state, jitter)
        if (entry.effect !== 'none') expect(entry.limitMs).toBeGreaterThan(0)
        else {
          const waits =
            state.name === 'absent' ||
            state.name === 'unauthorized' ||
            (state.name === 'offline' && !state.linked) ||
            (state.name === 'busy' && state.owner === 'operation')
          expect(waits).toBe(true)
        }
        expect(entry.afterMs).toBeLessThan(10 * 60_000)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('circuit', () => {
  it('opens after five consecutive failures, and closes on an answer', () => {
    let state = nextState(start, { type: 'link', link: 'online' })
    for (let failures = 1; failures <= 5; failures += 1) {
      expect(state.name).toBe(failures === 1 ? 'booting' : 'offline')
      state = nextState(state, { type: 'failed', reason: 'no answer' })
    }
    expect(state).toEqual({ name: 'quarantined', reason: 'no answer' })
    expect(nextState(state, { type: 'identified', booted: true, enrolled: true }).name).toBe('busy')
  })

  it('waits longer after each failure, up to a limit', () => {
    const wait = (failures: number) =>
      entryOf({ name: 'offline', linked: true, failures, reason: '' }, 0.5).afterMs
    expect(wait(2)).toBeGreaterThan(wait(1))
    expect(wait(20)).toBe(30_000)
  })

  it('counts repeated failures of provisioning, although the phone answers in between', () => {
    let state: DeviceState = { name: 'booting', failures: 0 }
    for (let round = 0; round < 5; round += 1) {
      state = nextState(state, { type: 'identified', booted: true, enrolled: true })
      state = nextState(state, { type: 'failed', reason: 'no jar' })
    }
    expect(state.name).toBe('quarantined')
  })
})

describe('duration of a state', () => {
  it('restarts with different work, and continues with the same work', () => {
    const long: DeviceState = { name: 'busy', work: 'wiping', owner: 'operation', failures: 0 }
    const verifying = nextState(long, { type: 'work_ends', link: 'online', failure: null })
    expect(isSameState(long, verifying)).toBe(false)
    expect(isSameState(verifying, { ...verifying })).toBe(true)
    expect(isSameState({ name: 'booting', failures: 0 }, { name: 'booting', failures: 2 })).toBe(true)
    expect(isSameState({ name: 'healthy', misses: 0 }, long)).toBe(false)
  })
})

describe('wipe', () => {
  it('is not disturbed by the restart that it causes, and ends in a probe', () => {
    const wiping = nextState({ name: 'healthy', misses: 0 }, { type: 'work_begins', work: 'wiping' })
    const restarted = [
      { type: 'link', link: 'absent' } as const,
      { type: 'link', link: 'offline' } as const,
      { type: 'link', link: 'online' } as const,
    ].reduce<DeviceState>(nextState, wiping)
    expect(restarted).toBe(wiping)
    const done = nextState(restarted, { type: 'work_ends', link: 'online', failure: null })
    expect(done).toMatchObject({ name: 'busy', work: 'verifying' })
    expect(nextState(done, { type: 'probe_passed' }).name).toBe('healthy')
  })
})
