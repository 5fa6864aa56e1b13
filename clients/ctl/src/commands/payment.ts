import type { UnmatchedPayment } from '../operator/client.js'
import type { Command } from '../commands.js'
import { table } from '../table.js'

export const paymentCommands: readonly Command[] = [
  {
    name: 'payment unmatched',
    about:
      'Lists payments, refunds and disputes without a matching checkout link or payment. They did not change any credit.',
    words: [],
    flags: {},
    async run(_input, operator) {
      const data = await operator().unmatchedPayments()
      const text = table(
        data,
        [
          { title: 'AT', value: (row) => row.told_at },
          { title: 'KIND', value: (row) => row.kind },
          { title: 'ID', value: (row) => row.id },
          { title: 'AMOUNT', value: amountOf },
          { title: 'NAMES', value: (row) => row.reference ?? row.payment_intent },
          { title: 'WHY', value: (row) => row.reason },
        ],
        'no unmatched payments',
      )
      return { json: { data }, text }
    },
  },
]

const amountOf = ({ cents, currency }: UnmatchedPayment): string =>
  currency === 'usd'
    ? `${(cents / 100).toFixed(2)} USD`
    : `${cents} (smallest unit) ${currency.toUpperCase()}`
