/** The short form of `./scripts/chaos`: two replicas, two agents with three virtual phones each, one broker, one seed. */
import { expect, test } from 'vitest'
import { canMount } from '../system/small-disk.js'
import { run } from './run.js'

test('every rule holds under load and faults', { timeout: 300_000 }, async () => {
  const report = await run({
    ...{
      seed: 13,
      durationMs: 6000,
      restoreMs: 2000,
      signal: new AbortController().signal,
    },
    shape: { controls: 2, agents: 2, phones: 3, brokers: 1, hasSmallDisk: await canMount() },
    ...{ tenants: 2, rentersPerTenant: 1, randomEveryMs: 400, say: () => undefined },
  })
  const summary = `seed ${report.seed}, ${JSON.stringify(report.figures)}`
  expect(report.texts, summary).toEqual([])
  expect(report.figures, summary).toMatchObject({
    'the storm': { writesOnPhones: expect.any(Number) as number },
  })
})
