/** The credit of a project, and what it spent by day and phone. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { type ReactNode } from 'react'
import { messageOf } from '../api/client'
import { getUsage } from '../api/usage'
import { Bars } from '../ui/bars'
import { Button } from '../ui/button'
import { durationText } from '../ui/duration'
import { usdText } from '../ui/money'
import { Card, Empty, Loading, Page } from '../ui/page'
import { Time } from '../ui/time'
import { ProjectFigures } from './project-figures'

/** Milliseconds between two reads. */
const refreshMs = 15_000

const kinds: Readonly<Record<string, string>> = {
  credit: 'Credit',
  refund: 'Refund',
  chargeback: 'Chargeback',
}

const dayText = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export function Usage() {
  const { project: id } = useParams({ from: '/inside/projects/$project/usage' })
  const usage = useQuery({
    queryKey: ['usage', id],
    queryFn: () => getUsage(id),
    refetchInterval: refreshMs,
  })
  return (
    <Page
      title="Usage"
      description="The last 30 days, by UTC. A session is counted on the day on which it ends."
    >
      <ProjectFigures project={id} />
      {usage.isPending ? (
        <Card>
          <Loading />
        </Card>
      ) : usage.isLoadingError ? (
        <Card>
          <Empty icon={<ChartColumn className="size-5" />} title={messageOf(usage.error)}>
            <Button onClick={() => void usage.refetch()}>Try again</Button>
          </Empty>
        </Card>
      ) : (
        <>
          <Part id="days" title="By day">
            {usage.data.phones.length === 0 ? (
              <p className="p-4 text-muted sm:px-5">Nothing was spent in these days.</p>
            ) : (
              <Bars
                label="Spending by day"
                bars={usage.data.days.map(({ day, cost_usd: cost }) => ({
                  name: dayText.format(new Date(day)),
                  value: Number(cost),
                  text: usdText(cost),
                }))}
              />
            )}
          </Part>
          <Part id="by-phone" title="By phone">
            {usage.data.phones.length === 0 ? (
              <p className="p-4 text-muted sm:px-5">No session ended in these days.</p>
            ) : (
              <ul aria-labelledby="by-phone" className="divide-y divide-border">
                {usage.data.phones.map((phone) => (
                  <li
                    key={phone.id}
                    className="flex items-baseline justify-between gap-4 px-4 py-2.5 sm:px-5"
                  >
                    <Link
                      to="/projects/$project/phones/$phone"
                      params={{ project: id, phone: phone.id }}
                      className="min-w-0 truncate rounded underline-offset-2 hover:underline"
                    >
                      {phone.name}
                    </Link>
                    <span className="flex shrink-0 gap-4 tabular-nums">
                      <span className="text-muted">{durationText(phone.seconds)}</span>
                      <span>{usdText(phone.cost_usd)}</span>
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Part>
          <Part id="credit" title="Changes of the credit">
            {usage.data.changes.length === 0 ? (
              <p className="p-4 text-muted sm:px-5">None yet. An operator of this service adds credit.</p>
            ) : (
              <ul aria-labelledby="credit" className="divide-y divide-border">
                {usage.data.changes.map(({ at, kind, amount_usd: amount }, index) => (
                  <li key={index} className="flex items-baseline justify-between gap-4 px-4 py-2.5 sm:px-5">
                    <span>{kinds[kind] ?? kind}</span>
                    <span className="flex shrink-0 gap-4 tabular-nums">
                      <span className="text-muted">
                        <Time at={at} />
                      </span>
                      <span>{usdText(amount)}</span>
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Part>
        </>
      )}
    </Page>
  )
}

const Part = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section className="grid min-w-0 gap-3" aria-labelledby={id}>
    <h2 id={id} className="font-semibold">
      {title}
    </h2>
    <Card>{children}</Card>
  </section>
)
