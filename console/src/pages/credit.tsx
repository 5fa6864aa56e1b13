/** The credit of a project: its balance, how long it lasts, buying more, and the ledger. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CreditCard } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/client'
import { isAtLeast } from '../api/session'
import { type Project } from '../api/types'
import { Button } from '../ui/button'
import { durationText } from '../ui/duration'
import { Failed } from '../ui/failed'
import { usdText } from '../ui/money'
import { Card, Page } from '../ui/page'
import { Buy } from './credit/buy'
import { Ledger } from './credit/ledger'
import { Returned } from './credit/returned'
import { CreditNotice } from './credit-notice'
import { Figure, figures } from './project-figures'

/** Milliseconds between two reads. */
const refreshMs = 15_000

export function Credit() {
  const { project: id } = useParams({ from: '/inside/projects/$project/credit' })
  const { paid, cancelled } = useSearch({ from: '/inside/projects/$project/credit' })
  const navigate = useNavigate()
  const [isBuying, setIsBuying] = useState(false)
  const project = useQuery({
    queryKey: ['project', id],
    queryFn: () => call('GET /projects/:project', { project: id }),
    refetchInterval: refreshMs,
  })
  const { data } = project
  const mayBuy = data !== undefined && data.purchase !== null && isAtLeast(data.role, 'owner')
  const checkout = paid ?? cancelled
  return (
    <Page
      title="Credit"
      description={data && howToGet(data)}
      actions={
        mayBuy && (
          <Button look="primary" onClick={() => setIsBuying(true)}>
            <CreditCard aria-hidden /> Buy credit
          </Button>
        )
      }
    >
      {checkout !== undefined && (
        <Returned
          project={id}
          checkout={checkout}
          isCancelled={paid === undefined}
          dismiss={
            <Button size="small" onClick={() => void navigate({ to: '.', search: {}, replace: true })}>
              Close
            </Button>
          }
        />
      )}
      {data ? (
        <>
          <CreditNotice project={id} outlook={data.outlook} />
          <Balance project={data} />
        </>
      ) : project.isError ? (
        <Card>
          <Failed query={project} />
        </Card>
      ) : (
        <div className="h-[9.5rem] rounded-lg border border-border bg-surface lg:h-[5.4rem]" />
      )}
      <Ledger project={id} hasReceipts={mayBuy} />
      {mayBuy && data.purchase && (
        <Buy project={id} purchase={data.purchase} isOpen={isBuying} onOpenChange={setIsBuying} />
      )}
    </Page>
  )
}

function howToGet({ purchase, role }: Project): string {
  const rule = 'A session is charged when it ends. Until then, the cost of its longest duration is reserved.'
  if (purchase === null)
    return `${rule} This service does not sell credit: an operator adds it on the page “All projects” of the operators’ console.`
  return isAtLeast(role, 'owner') ? rule : `${rule} Only owners of the project can buy credit.`
}

const Balance = ({ project }: { project: Project }) => {
  const { lasts_seconds: lasts, per_day_usd: perDay } = project.outlook
  return (
    <dl className={figures}>
      <Figure
        name="Available"
        value={usdText(project.available_usd)}
        note={`of ${usdText(project.balance_usd)}`}
      />
      <Figure
        name="Reserved"
        value={usdText(project.reserved_usd)}
        note={project.running === 1 ? 'by 1 phone' : `by ${project.running} phones`}
      />
      <Figure
        name="Spent this month"
        value={usdText(project.spent_this_month_usd)}
        note={`of ${usdText(project.spend_limit_usd)}`}
      />
      <Figure
        name="Lasts"
        value={lasts === null ? '–' : durationText(lasts)}
        note={lasts === null ? 'nothing is spent' : `at ${usdText(perDay)} a day`}
      />
    </dl>
  )
}
