/** Lists payments and reversals that the provider reported and that match no checkout link. */
import { type Core } from '../../base/core/core.js'

/** The number of reports that are shown. */
const most = 1000

interface Unmatched {
  id: string
  kind: 'payment' | 'charge' | 'refund' | 'dispute'
  reference: string | null
  payment_intent: string | null
  cents: bigint
  currency: string
  reason: string
  told_at: Date
}

/** Returns the newest reports first. A reversal leaves the list when its payment is reported. */
export const readUnmatched = (core: Core): Promise<Unmatched[]> =>
  core.db.$queryRaw<Unmatched[]>`
    select id, 'payment' as kind, reference, payment_intent, cents, currency, reason, told_at from unmatched_payments
    union all
    select r.id, r.kind, r.checkout_id, r.payment_intent, r.cents, r.currency,
      case when r.currency = 'usd' then 'there is no matching payment' else 'the payment is not in US dollars' end, r.told_at
    from payment_reversals r
    where r.currency <> 'usd' or not exists (select 1 from checkouts c
      where c.paid_at is not null and (c.payment_intent = r.payment_intent or c.id = r.checkout_id
        and (c.payment_intent is null or r.payment_intent is null)))
    order by told_at desc limit ${most}`
