/**
 * Computes how much credit a payment's refunds and disputes take back. Pure; cents as the provider
 * reports them, credit in micro-dollars.
 */

interface Paid {
  /** The amount without tax, which was added as credit. */
  cents: bigint
  /** The amount with tax, to which refunds and disputes refer. */
  totalCents: bigint
}

export interface Reversal {
  /** `charge`: the total of all refunds of the charge. */
  kind: 'charge' | 'refund' | 'dispute'
  cents: bigint
  /** False for a failed refund, or a dispute that was decided in our favour. */
  isActive: boolean
}

const microsPerCent = 10_000n

/**
 * The provider reports refunds individually and as a total of the charge, in any order, and either
 * may be missing. The total still contains refunds that failed later.
 */
export function refundedCents(reversals: readonly Reversal[]): bigint {
  const active = sumOf(reversals, (each) => each.kind === 'refund' && each.isActive)
  const failed = sumOf(reversals, (each) => each.kind === 'refund' && !each.isActive)
  const total = sumOf(reversals, (each) => each.kind === 'charge')
  return max(active, total - failed)
}

/**
 * The credit that a payment's reversals take back: never more than the payment added, and all of it when the
 * whole payment was reversed.
 */
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

/** The credit that corresponds to `cents` of the total. */
const creditOf = ({ cents, totalCents }: Paid, part: bigint): bigint =>
  totalCents <= 0n ? 0n : (cents * microsPerCent * part) / totalCents

const sumOf = (reversals: readonly Reversal[], counts: (each: Reversal) => boolean): bigint =>
  reversals.filter(counts).reduce((sum, { cents }) => sum + cents, 0n)
const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)
