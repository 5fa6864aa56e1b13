/** The notice for a payer who comes back: it waits until the payment provider confirms the payment. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleX, LoaderCircle } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { call, messageOf } from '../../api/client'
import { usdText } from '../../ui/money'
import { Notice } from '../../ui/notice'

/** Milliseconds between two reads, and until the page says that the confirmation is slow. */
const refreshMs = 2000
const slowMs = 60_000

interface ReturnedProps {
  project: string
  checkout: string
  isCancelled: boolean
  /** The button that hides the notice. */
  dismiss: ReactNode
}

export function Returned({ project, checkout, isCancelled, dismiss }: ReturnedProps) {
  const queries = useQueryClient()
  const [openedAt] = useState(Date.now)
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['checkout', project, checkout],
    queryFn: () => call('GET /projects/:project/checkouts/:checkout', { project, checkout }),
    refetchInterval: ({ state }) => (state.data?.paid_at !== null || isCancelled ? false : refreshMs),
  })
  const isSlow = dataUpdatedAt - openedAt > slowMs
  const isPaid = data !== undefined && data.paid_at !== null
  useEffect(() => {
    if (!isPaid) return
    void queries.invalidateQueries({ queryKey: ['project', project] })
    void queries.invalidateQueries({ queryKey: ['ledger', project] })
  }, [isPaid, project, queries])

  if (isPaid)
    return (
      <Notice
        tone="good"
        icon={<CircleCheck aria-hidden />}
        title={`${usdText(data.amount_usd)} of credit was added`}
        action={dismiss}
      >
        The balance is now {usdText(data.balance_usd)}.
      </Notice>
    )
  if (error && !data)
    return <Notice tone="warn" icon={<CircleAlert aria-hidden />} title={messageOf(error)} action={dismiss} />
  if (isCancelled)
    return (
      <Notice tone="quiet" icon={<CircleX aria-hidden />} title="Nothing was paid" action={dismiss}>
        You left the payment page.
      </Notice>
    )
  return (
    <Notice
      tone="quiet"
      icon={<LoaderCircle className="animate-spin" aria-hidden />}
      title="Waiting for Stripe to confirm the payment"
      action={isSlow && dismiss}
    >
      {isSlow
        ? 'This takes longer than usual. You can leave this page: the credit is added as soon as it is confirmed.'
        : 'This usually takes a few seconds.'}
    </Notice>
  )
}
