/** What a payment's refunds and disputes take back of its credit. Pure; cents as told, credit in micro-dollars. */

export interface Paid {
  /** Without tax: what was added as credit. */
  cents: bigint
  /** With tax: what refunds and disputes count in. */
  totalCents: bigint
}

export interface Reversal {
  /** `charge`: all that was ever refunded of the charge, as one sum. */
  kind: 'charge' | 'refund' | 'dispute'
  cents: bigint
  /** False: a refund that failed, a dispute that was decided for us. */
  isActive: boolean
}

const microsPerCent = 10_000n

/**
 * Refunds are told one by one and as a sum of the charge, in any order, and each may be missing. The sum still contains
 * refunds that failed later.
 */
export function refundedCents(reversals: readonly Reversal[]): bigint {
  const active = sumOf(reversals, (each) => each.kind === 'refund' && each.isActive)
  const failed = sumOf(reversals, (each) => each.kind === 'refund' && !each.isActive)
  const told = sumOf(reversals, (each) => each.kind === 'charge')
  return max(active, told - failed)
}

/** Never more than the payment added; all of it when all was taken back. */
export function creditTakenBack(
  paid: Paid,
  reversals: readonly Reversal[],
): { refund: bigint; chargeback: bigint } {
  const refunded = min(refundedCents(reversals), paid.totalCents)
  const disputed = sumOf(reversals, (each) => each.kind === 'dispute' && each.isActive)
  const refund = creditOf(paid, refunded)
  const both = creditOf(paid, min(refunded + disputed, paid.totalCents))
  return { refund, chargeback: both - refund }
}

/** The part of the credit that `cents` of the total stand for. */
const creditOf = ({ cents, totalCents }: Paid, part: bigint): bigint =>
  totalCents <= 0n ? 0n : (cents * microsPerCent * part) / totalCents

const sumOf = (reversals: readonly Reversal[], counts: (each: Reversal) => boolean): bigint =>
  reversals.filter(counts).reduce((sum, { cents }) => sum + cents, 0n)
const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)
