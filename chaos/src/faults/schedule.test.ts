/** The schedules of faults for `./scripts/chaos`. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cablesOf, most, partOf, scheduleOf, type PlannedFault, type Shape } from './schedule.js'

const shapes: fc.Arbitrary<Shape> = fc.record({
  controls: fc.integer({ min: 1, max: 3 }),
  agents: fc.integer({ min: 1, max: 3 }),
  phones: fc.integer({ min: 1, max: 10 }),
  brokers: fc.integer({ min: 1, max: 3 }),
  hasSmallDisk: fc.boolean(),
})
const seeds = fc.integer({ min: 0, max: 2 ** 31 })
const durations = fc.integer({ min: 1000, max: 600_000 })

describe('a schedule of faults', () => {
  it('is the same for the same seed', () => {
    fc.assert(
      fc.property(seeds, durations, shapes, (seed, durationMs, shape) => {
        expect(scheduleOf(seed, durationMs, shape)).toEqual(scheduleOf(seed, durationMs, shape))
      }),
      { numRuns: 30 },
    )
  })

  it('is in order, ends before the load does, and has few faults at a time and a pause for each part', () => {
    fc.assert(
      fc.property(seeds, durations, shapes, (seed, durationMs, shape) => {
        const planned = scheduleOf(seed, durationMs, shape)
        const wrong = planned.filter((fault, index) => {
          const before = planned.slice(0, index)
          const meets = (other: PlannedFault): boolean =>
            partOf(other.target) === partOf(fault.target) && other.at + other.lasts >= fault.at
          return (
            fault.at + fault.lasts >= durationMs ||
            before.some((other) => other.at > fault.at || meets(other)) ||
            before.filter((other) => other.at + other.lasts > fault.at).length >= most
          )
        })
        expect(wrong).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  it('contains every kind in ten minutes, and another schedule for another seed', () => {
    const shape: Shape = { controls: 3, agents: 3, phones: 10, brokers: 3, hasSmallDisk: true }
    fc.assert(
      fc.property(seeds, (seed) => {
        const kinds = new Set(scheduleOf(seed, 600_000, shape).map(({ kind }) => kind))
        expect([...kinds].sort()).toEqual([
          'clock',
          'cut',
          'delay',
          'full-disk',
          'hang',
          'kill',
          'pause',
          'restart',
          'unplug',
        ])
      }),
      { numRuns: 30 },
    )
    expect(scheduleOf(1, 600_000, shape)).not.toEqual(scheduleOf(2, 600_000, shape))
  })

  it('contains only parts that run', () => {
    fc.assert(
      fc.property(seeds, shapes, (seed, shape) => {
        const { controls, agents, phones, brokers } = shape
        const counts: Record<string, number> = {
          control: controls,
          agent: agents,
          phones: agents,
          broker: brokers,
        }
        for (const { target, kind } of scheduleOf(seed, 300_000, shape)) {
          if (target.includes('>')) expect(cablesOf(shape)).toContain(target)
          else if (target === 'postgres') expect(kind).toBe('kill')
          else {
            const [name = '', first = '', second] = target.split('-')
            if (name === 'phone') expect(Number(second)).toBeLessThanOrEqual(phones)
            expect(Number(first)).toBeLessThanOrEqual(name === 'phone' ? agents : (counts[name] ?? 0))
          }
        }
      }),
      { numRuns: 30 },
    )
  })
})
