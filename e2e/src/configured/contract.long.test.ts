/** Random requests get only answers that the OpenAPI description of `/v1` allows. */
import process from 'node:process'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { runContract } from '../contract/run.js'
import { startStripePages, type StripePages } from '../system/stripe.js'

/** `./scripts/contract` sends more. */
const requests = 2000
const seed = Number(process.env['PHONERACK_SEED'] ?? 1)

let stripe: StripePages
beforeAll(async () => {
  stripe = await startStripePages(inject('standIns').stripe)
})
afterAll(() => stripe.close())

test('the description allows every answer [3.48, 22.2]', { timeout: 600_000 }, async () => {
  const report = await runContract(inject('system'), requests, seed)
  const summary = `seed ${report.seed}, ${report.seconds} s, ${JSON.stringify(report.statuses)}`
  expect(report.breaches, summary).toEqual([])
  expect(report.requests, summary).toBe(requests)
  expect(report.statuses['429'] ?? 0, summary).toBeLessThan(requests * 0.05)
  // A run in which all requests fail would prove nothing.
  expect(report.succeeded.length, `${summary}, ${report.succeeded.join(', ')}`).toBeGreaterThan(
    report.operations / 3,
  )
})
