/** The credit of a project, its spending and its limits. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import { call } from '../api/client'
import { usdText } from '../ui/money'
import { CreditNotice } from './credit-notice'

/** Milliseconds between two reads. */
const refreshMs = 15_000

export const figures =
  'grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-border bg-border lg:grid-cols-4'

export const Figure = ({ name, value, note }: { name: string; value: ReactNode; note: string }) => (
  <div className="grid gap-0.5 bg-surface px-4 py-3">
    <dt className="text-[13px] text-muted">{name}</dt>
    <dd className="grid">
      <span className="font-medium tabular-nums">{value}</span>
      <span className="truncate text-[13px] text-muted tabular-nums">{note}</span>
    </dd>
  </div>
)

export function ProjectFigures({ project }: { project: string }) {
  const { data } = useQuery({
    queryKey: ['project', project],
    queryFn: () => call('GET /projects/:project', { project }),
    refetchInterval: refreshMs,
  })
  // The page itself reports the error.
  if (!data) return <div className="h-[9.5rem] rounded-lg border border-border bg-surface lg:h-[5.4rem]" />
  return (
    <>
      <CreditNotice project={project} outlook={data.outlook} hasLink />
      <dl className={figures}>
        <Figure name="Running" value={data.running} note={`of ${data.limits.running} at a time`} />
        <Figure name="Phones" value={data.phones} note={`of ${data.limits.phones}`} />
        <Figure
          name="Credit"
          value={usdText(data.balance_usd)}
          note={`${usdText(data.reserved_usd)} reserved`}
        />
        <Figure
          name="Spent this month"
          value={usdText(data.spent_this_month_usd)}
          note={`of ${usdText(data.spend_limit_usd)}`}
        />
      </dl>
    </>
  )
}
