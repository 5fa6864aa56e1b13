// The credit that refunds and disputes take back, for any order of reports.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { creditTakenBack, refundedCents, type Reversal } from './reversals.js'

const refund = (cents: bigint, isActive = true): Reversal => ({ kind: 'refund', cents, isActive })
const charge = (cents: bigint): Reversal => ({ kind: 'charge', cents, isActive: true })
const dispute = (cents: bigint, isActive = true): Reversal => ({ kind: 'dispute', cents, isActive })
const paid = { cents: 1000n, totalCents: 1190n }

it.each<[Reversal[], bigint]>([
  [[], 0n],
  [[charge(500n)], 500n],
  [[refund(500n)], 500n],
  [[refund(500n), charge(500n)], 500n],
  [[refund(200n), refund(300n), charge(500n)], 500n],
  [[charge(500n), refund(500n, false)], 0n],
  [[refund(500n, false)], 0n],
  [[charge(500n), refund(500n, false), refund(500n)], 500n],
])('counts each refund once, example %#', (reversals, cents) => {
  expect(refundedCents(reversals)).toBe(cents)
})

it('takes back the credit in proportion, and all credit for a full refund', () => {
  expect(creditTakenBack(paid, [refund(1190n)])).toEqual({ refund: 10_000_000n, chargeback: 0n })
  expect(creditTakenBack(paid, [refund(595n)])).toEqual({ refund: 5_000_000n, chargeback: 0n })
  expect(creditTakenBack(paid, [dispute(1190n)])).toEqual({ refund: 0n, chargeback: 10_000_000n })
  expect(creditTakenBack(paid, [dispute(1190n, false)])).toEqual({ refund: 0n, chargeback: 0n })
  expect(creditTakenBack(paid, [refund(595n), dispute(1190n)])).toEqual({
    refund: 5_000_000n,
    chargeback: 5_000_000n,
  })
})

it('never takes back more than was added, or less than zero', () => {
  const cents = fc.bigInt({ min: 0n, max: 3000n })
  const any = fc.oneof(
    cents.map(charge),
    fc.tuple(cents, fc.boolean()).map((args) => refund(...args)),
    fc.tuple(cents, fc.boolean()).map((args) => dispute(...args)),
  )
  fc.assert(
    fc.property(fc.array(any), (reversals) => {
      const { refund: back, chargeback } = creditTakenBack(paid, reversals)
      expect(back >= 0n && chargeback >= 0n && back + chargeback <= 10_000_000n).toBe(true)
      expect(creditTakenBack(paid, reversals.toReversed())).toEqual({ refund: back, chargeback })
    }),
  )
})
