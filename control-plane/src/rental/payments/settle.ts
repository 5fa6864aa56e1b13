/**
 * Turns the provider's reports of payments, refunds and disputes into ledger rows, once each. Reports may
 * arrive in any order, and several times. Reports that match no checkout link are kept for the operator.
 */
import { addCredit, bookReversals } from '../billing/ledger.js'
import { creditTakenBack } from '../billing/reversals.js'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { type Checkout } from '../../gen/prisma/client.js'
import { type Core } from '../../base/core/core.js'
import { type PaymentReport, type Payment, type ReportedReversal } from './stripe.js'

export const settle = (core: Core, report: PaymentReport): Promise<void> =>
  'payment' in report ? settlePayment(core, report.payment) : settleReversal(core, report.reversal)

/** Adds a payment's credit once, even when it is reported again. */
async function settlePayment(core: Core, payment: Payment): Promise<void> {
  const unmatched = await inTransaction(core.db, async (tx): Promise<string | null> => {
    const now = core.clock.now()
    await lockIntent(tx, payment.paymentIntent)
    const checkout = await lockCheckout(tx, payment.checkoutId)
    const reason = misfit(checkout, payment)
    if (!checkout || reason !== null) {
      await keepUnmatched(tx, payment, reason ?? 'the payment has no reference to a checkout link', now)
      return reason
    }
    const { id, projectId } = checkout
    const { paymentIntent, totalCents } = payment
    const { count } = await tx.checkout.updateMany({ where: { id, paidAt: null }, data: { paidAt: now } })
    if (count > 0) await addCredit(tx, projectId, BigInt(payment.cents) * 10_000n, now, id)
    const paid = await tx.checkout.findUniqueOrThrow({ where: { id } })
    if (paid.paymentIntent === null && paymentIntent !== null)
      await tx.checkout.update({ where: { id }, data: { paymentIntent, totalCents } })
    else if (paid.totalCents === null) await tx.checkout.update({ where: { id }, data: { totalCents } })
    await rebook(tx, id, now)
    return null
  })
  const reported = {
    audit: 'payment',
    checkout: payment.checkoutId,
    cents: payment.cents,
    currency: payment.currency,
  }
  if (unmatched === null) core.log.info(reported, 'received a payment')
  else
    core.log.error(
      { ...reported, reason: unmatched },
      'a payment does not match a checkout link, so no credit was added',
    )
}

/** Reads the checkout under the lock of its project: two payments of one link may be reported simultaneously. */
async function lockCheckout(tx: Tx, id: string | null): Promise<Checkout | null> {
  const known = id === null ? null : await tx.checkout.findUnique({ where: { id } })
  if (!known) return null
  await tx.$queryRaw`select 1 from projects where id = ${known.projectId} for update`
  return tx.checkout.findUnique({ where: { id: known.id } })
}

/** Null when the payment matches the link. */
function misfit(checkout: Checkout | null, payment: Payment): string | null {
  if (!checkout) return 'the checkout link does not exist'
  if (payment.currency !== 'usd') return 'the payment is not in US dollars'
  if (payment.cents !== checkout.amountUsd * 100)
    return `the amount differs from the ${checkout.amountUsd} dollars of the link`
  const isOther = checkout.paymentIntent !== null && checkout.paymentIntent !== payment.paymentIntent
  return isOther ? 'the link was already paid' : null
}

async function keepUnmatched(tx: Tx, payment: Payment, reason: string, toldAt: Date): Promise<void> {
  const { id, checkoutId: reference, paymentIntent, cents, currency } = payment
  await tx.unmatchedPayment.createMany({
    data: { id, reference, paymentIntent, cents, currency, reason, toldAt },
    skipDuplicates: true,
  })
}

/** Books the credit that a refund or dispute takes back, or returns the credit when the reversal ended. */
async function settleReversal(core: Core, reported: ReportedReversal): Promise<void> {
  const checkoutId = await inTransaction(core.db, async (tx) => {
    const now = core.clock.now()
    await lockIntent(tx, reported.paymentIntent)
    const checkout = await checkoutOf(tx, reported)
    if (checkout) await tx.$queryRaw`select 1 from projects where id = ${checkout.projectId} for update`
    await noteReversal(tx, reported, now)
    if (checkout) await rebook(tx, checkout.id, now)
    return checkout?.id ?? null
  })
  const entry = {
    audit: 'payment.reversal',
    kind: reported.kind,
    checkout: checkoutId,
    cents: reported.cents,
  }
  if (checkoutId !== null) core.log.warn(entry, 'a payment was reversed, or its reversal changed')
  else core.log.error(entry, 'a refund or dispute does not match a payment, so nothing was booked')
}

/**
 * Serialises a payment's and its reversals' reports that arrive together, before the row that both would lock
 * exists.
 */
async function lockIntent(tx: Tx, paymentIntent: string | null): Promise<void> {
  const name = `payment ${paymentIntent ?? ''}`
  await tx.$queryRaw`select 1 as locked from pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}

async function checkoutOf(tx: Tx, reported: ReportedReversal): Promise<Checkout | null> {
  const { paymentIntent, checkoutId } = reported
  const byIntent = paymentIntent === null ? null : await tx.checkout.findUnique({ where: { paymentIntent } })
  if (byIntent || checkoutId === null) return byIntent
  // A second payment of the same link added no credit, so its refund takes none.
  return tx.checkout.findFirst({
    where: {
      id: checkoutId,
      paidAt: { not: null },
      ...(paymentIntent === null ? {} : { paymentIntent: null }),
    },
  })
}

/**
 * The newest report wins, except that a final state never changes and a charge's total only grows.
 */
async function noteReversal(tx: Tx, reported: ReportedReversal, at: Date): Promise<void> {
  await tx.$executeRaw`insert into payment_reversals
      (id, kind, payment_intent, checkout_id, cents, currency, is_active, is_final, told_at)
    values (${reported.id}, ${reported.kind}, ${reported.paymentIntent}, ${reported.checkoutId}, ${reported.cents}, ${reported.currency},
      ${reported.isActive}, ${reported.isFinal}, ${at})
    on conflict (id) do update set
      cents = case when excluded.kind = 'charge' then greatest(payment_reversals.cents, excluded.cents) else excluded.cents end,
      is_active = excluded.is_active, is_final = excluded.is_final, told_at = excluded.told_at
    where not payment_reversals.is_final`
}

/**
 * Books the difference to the current total of all reversals of a paid link. The caller holds the
 * project's lock.
 */
async function rebook(tx: Tx, checkoutId: string, at: Date): Promise<void> {
  const checkout = await tx.checkout.findUniqueOrThrow({ where: { id: checkoutId } })
  if (checkout.paidAt === null) return
  const { paymentIntent, projectId } = checkout
  const reversals = await tx.paymentReversal.findMany({
    where: {
      OR:
        paymentIntent === null ? [{ checkoutId }] : [{ paymentIntent }, { checkoutId, paymentIntent: null }],
      currency: 'usd',
    },
  })
  const cents = BigInt(checkout.amountUsd) * 100n
  const paid = { cents, totalCents: BigInt(checkout.totalCents ?? Number(cents)) }
  const due = creditTakenBack(
    paid,
    // The table's check constraint allows no other kind.
    reversals.map(({ kind, ...each }) => ({ ...each, kind: kind as ReportedReversal['kind'] })),
  )
  await bookReversals(tx, { projectId, checkoutId, at }, due)
}
