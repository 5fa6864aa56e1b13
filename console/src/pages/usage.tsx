/** The spending of a project by day, key and phone, and the project's limits. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode } from 'react'
import { call } from '../api/client'
import { type DaySpending, type Spending } from '../api/types'
import { Bars } from '../ui/bars'
import { durationText } from '../ui/duration'
import { Loaded } from '../ui/failed'
import { microsOf, usdText } from '../ui/money'
import { Card, Page } from '../ui/page'
import { Shares, type Share } from '../ui/shares'
import { ProjectFigures } from './project-figures'
import { ProjectLimits } from './project-limits'

/** Milliseconds between two reads. */
const refreshMs = 15_000

const dayText = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export const dayBars = (days: readonly DaySpending[]) =>
  days.map(({ day, cost_usd: cost }) => ({
    name: dayText.format(new Date(day)),
    value: microsOf(cost),
    text: usdText(cost),
  }))

export function Usage() {
  const { project: id } = useParams({ from: '/inside/projects/$project/usage' })
  const usage = useQuery({
    queryKey: ['usage', id],
    queryFn: () => call('GET /projects/:project/usage', { project: id }),
    refetchInterval: refreshMs,
  })
  return (
    <Page
      title="Usage"
      description="The last 30 days, by UTC. A session is counted on the day on which it ends, and for the key or person who rented its phone."
    >
      <ProjectFigures project={id} />
      {usage.data ? (
        <>
          <Part id="days" title="By day">
            {usage.data.phones.length === 0 ? (
              <p className="p-4 text-muted sm:px-5">Nothing was spent in these days.</p>
            ) : (
              <Bars label="Spending by day" bars={dayBars(usage.data.days)} />
            )}
          </Part>
          <Part id="by-key" title="By key">
            {usage.data.keys.length === 0 ? (
              <p className="p-4 text-muted sm:px-5">No session ended in these days.</p>
            ) : (
              <Shares
                labelledBy="by-key"
                shares={usage.data.keys.map((key) => shareOf(key, <bdi>{key.name}</bdi>))}
              />
            )}
          </Part>
          <Part id="by-phone" title="By phone">
            {usage.data.phones.length === 0 ? (
              <p className="p-4 text-muted sm:px-5">No session ended in these days.</p>
            ) : (
              <Shares
                labelledBy="by-phone"
                shares={usage.data.phones.map((phone) =>
                  shareOf(
                    phone,
                    <Link
                      to="/projects/$project/phones/$phone"
                      params={{ project: id, phone: phone.id }}
                      className="rounded underline-offset-2 hover:underline"
                    >
                      <bdi>{phone.name}</bdi>
                    </Link>,
                  ),
                )}
              />
            )}
          </Part>
        </>
      ) : (
        <Card>
          <Loaded query={usage} />
        </Card>
      )}
      <ProjectLimits project={id} />
    </Page>
  )
}

const shareOf = ({ id, cost_usd: cost, seconds }: Spending, name: ReactNode): Share => ({
  id,
  name,
  value: microsOf(cost),
  text: usdText(cost),
  note: durationText(seconds),
})

const Part = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section className="grid min-w-0 gap-3" aria-labelledby={id}>
    <h2 id={id} className="font-semibold">
      {title}
    </h2>
    <Card>{children}</Card>
  </section>
)
