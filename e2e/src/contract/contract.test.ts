/** What the description says of `/v1` holds for requests that nobody thought of. */
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { runContract } from './run.js'

/** More of them by `./scripts/contract`. */
const requests = 2000

test('every answer is one that the description allows', { timeout: 600_000 }, async () => {
  const report = await runContract(requests, randomInt(2 ** 31))
  const told = `seed ${report.seed}, ${report.seconds} s, ${JSON.stringify(report.statuses)}`
  expect(report.breaches, told).toEqual([])
  expect(report.requests, told).toBe(requests)
  expect(report.statuses['429'] ?? 0, told).toBeLessThan(requests * 0.05)
  // Requests that all fail would show nothing.
  expect(report.succeeded.length, `${told}, ${report.succeeded.join(', ')}`).toBeGreaterThan(
    report.operations / 3,
  )
})
