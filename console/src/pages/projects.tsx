/** All projects of the user, with their total spending. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/client'
import { type AllSpending } from '../api/types'
import { NewProject } from '../shell/new-project'
import { Bars } from '../ui/bars'
import { Button } from '../ui/button'
import { Loaded } from '../ui/failed'
import { microsOf, usdText } from '../ui/money'
import { Card, Page } from '../ui/page'
import { Shares } from '../ui/shares'
import { dayBars } from './usage'

/** Milliseconds between two reads. */
const refreshMs = 30_000

export function Projects() {
  const [isOpen, setIsOpen] = useState(false)
  const list = useQuery({
    queryKey: ['spending'],
    queryFn: () => call('GET /spending', {}),
    refetchInterval: refreshMs,
  })
  return (
    <Page
      title="Your projects"
      description="What all your projects spent in the last 30 days, by UTC, and the credit that is left."
      actions={
        <Button onClick={() => setIsOpen(true)}>
          <Plus aria-hidden /> New project
        </Button>
      }
    >
      {list.data ? (
        <All spending={list.data} />
      ) : (
        <Card>
          <Loaded query={list} />
        </Card>
      )}
      <NewProject isOpen={isOpen} onOpenChange={setIsOpen} />
    </Page>
  )
}

const All = ({ spending: { days, projects } }: { spending: AllSpending }) => (
  <>
    <Card>
      {days.every(({ cost_usd: cost }) => microsOf(cost) === 0) ? (
        <p className="p-4 text-muted sm:px-5">Nothing was spent in these days.</p>
      ) : (
        <Bars label="Spending by day" bars={dayBars(days)} />
      )}
    </Card>
    <section className="grid min-w-0 gap-3" aria-labelledby="by-project">
      <h2 id="by-project" className="font-semibold">
        By project
      </h2>
      <Card>
        {projects.length === 0 ? (
          <p className="p-4 text-muted sm:px-5">You do not belong to a project yet.</p>
        ) : (
          <Shares
            labelledBy="by-project"
            shares={projects.map(({ id, name, cost_usd: cost, available_usd: available }) => ({
              id,
              value: microsOf(cost),
              text: usdText(cost),
              note: `${usdText(available)} left`,
              name: (
                <Link
                  to="/projects/$project/phones"
                  params={{ project: id }}
                  className="rounded underline-offset-2 hover:underline"
                >
                  <bdi>{name}</bdi>
                </Link>
              ),
            }))}
          />
        )}
      </Card>
    </section>
  </>
)
