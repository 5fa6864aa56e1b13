/**
 * The short form of `./scripts/chaos`: two replicas, two agents with three virtual phones each, one broker,
 * one seed.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { canMount } from '@phonerack/e2e/system/small-disk.js'
import { scheduleOf, tempos } from './faults/schedule.js'
import { run } from './run.js'

const figuresSchema = z.object({
  faults: z.record(z.string(), z.int()),
  invariantSamples: z.int(),
  'the storm': z.object({ phones: z.int(), sessions: z.int(), writesOnPhones: z.int() }),
})
const seed = 15
const durationMs = 25_000

test('no rule is violated under load and faults of most kinds', { timeout: 600_000 }, async () => {
  const shape = { controls: 2, agents: 2, phones: 3, brokers: 1, hasSmallDisk: await canMount() }
  const report = await run({
    seed,
    durationMs,
    restoreMs: 2000,
    signal: new AbortController().signal,
    shape,
    tempo: tempos.dense,
    tenants: 2,
    rentersPerTenant: 1,
    randomEveryMs: 400,
    say: () => undefined,
  })
  const summary = `seed ${report.seed}, ${JSON.stringify(report.figures)}`
  expect(report.texts, summary).toEqual([])
  const { faults, invariantSamples, 'the storm': storm } = figuresSchema.parse(report.figures)
  expect(Object.keys(faults).length, summary).toBeGreaterThanOrEqual(7)
  expect(invariantSamples, summary).toBeGreaterThan(3)
  expect(storm.sessions, summary).toBeGreaterThan(0)
  expect(storm.writesOnPhones, summary).toBeGreaterThan(0)
})

test('the plan of the short form stops, kills and cuts off the parts with state', () => {
  const shape = { controls: 2, agents: 2, phones: 3, brokers: 1, hasSmallDisk: true }
  const planned = scheduleOf(seed, durationMs, shape, tempos.dense)
  const parts = new Set(planned.map(({ target }) => (target.split('>').at(-1) ?? '').split('-')[0]))
  for (const part of ['control', 'agent', 'broker', 'postgres']) expect([...parts]).toContain(part)
})
