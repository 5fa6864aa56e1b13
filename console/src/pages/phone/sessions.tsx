/** The last sessions of a phone with their cost. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client'
import { type PhoneSession } from '../../api/types'
import { durationText } from '../../ui/duration'
import { usdText } from '../../ui/money'
import { Loaded } from '../../ui/failed'
import { Card } from '../../ui/page'
import { Time } from '../../ui/time'

const reasons: Readonly<Record<string, string>> = {
  parked: 'parked',
  idle: 'parked after its idle time',
  max_duration: 'reached its longest time',
  deleted: 'deleted',
  failed: 'failed',
  unavailable: 'its device was lost',
  project_frozen: 'the project was frozen',
  service_paused: 'the service was paused',
}

const Row = ({ session }: { session: PhoneSession }) => (
  <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 px-4 py-2.5">
    <p>
      <Time at={session.started_at} />
    </p>
    <p className="text-right tabular-nums">
      {session.cost_usd === null ? `up to ${usdText(session.reserved_usd)}` : usdText(session.cost_usd)}
    </p>
    <p className="text-[13px] text-muted">
      {session.end_reason === null ? 'running' : (reasons[session.end_reason] ?? session.end_reason)}
    </p>
    <p className="text-right text-[13px] text-muted tabular-nums">
      {session.billed_seconds !== null && durationText(session.billed_seconds)}
    </p>
  </li>
)

/** @param open the open session; the list is read again when it changes */
export function Sessions({ project, phone, open }: { project: string; phone: string; open: string | null }) {
  const list = useQuery({
    queryKey: ['sessions', project, phone, open],
    queryFn: () => call('GET /projects/:project/phones/:phone/sessions', { project, phone }),
    placeholderData: (before) => before,
  })
  return (
    <section className="grid min-w-0 gap-3" aria-labelledby="sessions">
      <h2 id="sessions" className="font-semibold">
        Sessions
      </h2>
      <Card>
        <Loaded query={list}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="p-4 text-muted">The phone has not run yet.</p>
            ) : (
              <ul
                className="max-h-96 divide-y divide-border overflow-y-auto"
                tabIndex={0}
                aria-label="Sessions"
              >
                {data.map((session) => (
                  <Row key={session.id} session={session} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </section>
  )
}
