/** Payments, corrections and the cost of each session, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download, ScrollText } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { type LedgerEntry } from '../../api/types'
import { Button } from '../../ui/button'
import { cn } from '../../ui/cn'
import { csvOf } from '../../ui/csv'
import { save } from '../../ui/download'
import { ListCard, ShowMore, whileNewest } from '../../ui/list-card'
import { usdText } from '../../ui/money'
import { Time } from '../../ui/time'
import { Receipt } from './receipt'

/** Milliseconds between two reads of the newest entries. */
const refreshMs = 15_000

const columns = [
  'id',
  'at',
  'kind',
  'amount_usd',
  'session_id',
  'phone_id',
  'phone',
  'checkout_id',
] as const satisfies readonly (keyof LedgerEntry)[]

function nameOf({ kind, checkout_id: checkout, amount_usd: amount }: LedgerEntry): string {
  if (kind === 'charge') return 'Session'
  if (kind === 'refund') return 'Refund'
  if (kind === 'chargeback') return 'Chargeback'
  if (kind !== 'credit') return kind
  if (checkout !== null) return 'Payment'
  return amount.startsWith('-') ? 'Taken by an operator' : 'Added by an operator'
}

interface LedgerProps {
  project: string
  /** Owners can open receipts. */
  hasReceipts: boolean
}

export function Ledger({ project, hasReceipts }: LedgerProps) {
  const [receipt, setReceipt] = useState<string | null>(null)
  const list = useInfiniteQuery({
    queryKey: ['ledger', project],
    queryFn: ({ pageParam }) => call('GET /projects/:project/ledger', { project, before: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
    refetchInterval: whileNewest(refreshMs),
  })
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <section className="grid min-w-0 gap-3" aria-labelledby="ledger">
      <div className="flex items-center justify-between gap-4">
        <h2 id="ledger" className="font-semibold">
          Ledger
        </h2>
        {entries.length > 0 && (
          <Button size="small" onClick={() => save('ledger.csv', 'text/csv', csvOf(columns, entries))}>
            <Download aria-hidden /> Shown entries as CSV
          </Button>
        )}
      </div>
      <ListCard
        query={list}
        items={entries}
        icon={<ScrollText className="size-5" />}
        label={{ id: 'ledger' }}
        none="No entries yet"
        hint={<p>Payments are listed here, and the cost of each session when it ends.</p>}
      >
        {(entry) => (
          <Row
            key={entry.id}
            project={project}
            entry={entry}
            onReceipt={hasReceipts && entry.kind === 'credit' ? setReceipt : null}
          />
        )}
      </ListCard>
      <ShowMore pages={list} />
      <Receipt project={project} checkout={receipt} onClose={() => setReceipt(null)} />
    </section>
  )
}

interface RowProps {
  project: string
  entry: LedgerEntry
  onReceipt: ((checkout: string) => void) | null
}

const Row = ({ project, entry, onReceipt }: RowProps) => (
  <li className="flex items-center justify-between gap-4 px-4 py-2.5 sm:px-5">
    <div className="min-w-0">
      <p className="truncate">
        {nameOf(entry)}
        {entry.phone_id !== null && (
          <>
            {' · '}
            <Link
              to="/projects/$project/phones/$phone"
              params={{ project, phone: entry.phone_id }}
              className="rounded text-muted underline-offset-2 hover:underline"
            >
              <bdi>{entry.phone}</bdi>
            </Link>
          </>
        )}
      </p>
      <p className="text-[13px] text-muted">
        <Time at={entry.at} />
        {entry.checkout_id !== null && onReceipt && (
          <>
            {' · '}
            <button
              type="button"
              className="rounded underline underline-offset-2"
              onClick={() => onReceipt(entry.checkout_id ?? '')}
            >
              Receipt
            </button>
          </>
        )}
      </p>
    </div>
    <span className={cn('shrink-0 tabular-nums', !entry.amount_usd.startsWith('-') && 'text-good')}>
      {entry.amount_usd.startsWith('-') ? '' : '+'}
      {usdText(entry.amount_usd)}
    </span>
  </li>
)
