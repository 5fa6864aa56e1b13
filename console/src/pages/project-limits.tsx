/** The limits of a project, with a bar for the used part of each limit. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../api/client'
import { useSession } from '../api/session'
import { type Level, type Limits } from '../api/types'
import { bytesText } from '../ui/bytes'
import { cn } from '../ui/cn'
import { Loaded } from '../ui/failed'
import { microsOf, usdText } from '../ui/money'
import { Card } from '../ui/page'

/** Milliseconds between two reads. */
const refreshMs = 30_000
/** The part of a limit from which its bar has a warning colour. */
const nearly = 0.9

interface Row {
  name: string
  note?: string
  text: string
  /** The used part of the limit, 0 to 1. Null: the limit has no usage to count. */
  part: number | null
}

const partOf = ({ used, limit }: Level): number => (limit > 0 ? Math.min(1, used / limit) : 1)
const counted = (level: Level): Pick<Row, 'text' | 'part'> => ({
  text: `${level.used} of ${level.limit}`,
  part: partOf(level),
})
const bytes = (level: Level): Pick<Row, 'text' | 'part'> => ({
  text: `${bytesText(level.used)} of ${bytesText(level.limit)}`,
  part: partOf(level),
})

const rowsOf = (limits: Limits): Row[] => {
  const { used, limit } = limits.spent_this_month_usd
  const steps = limits.steps_max_bytes
  return [
    { name: 'Phones that run at a time', note: 'in all projects of the owner', ...counted(limits.running) },
    { name: 'Phones', note: 'with parked phones', ...counted(limits.phones) },
    {
      name: 'Spending this month',
      note: 'by UTC',
      text: `${usdText(used)} of ${usdText(limit)}`,
      part: partOf({ used: microsOf(used), limit: microsOf(limit) }),
    },
    {
      name: 'Storage of steps',
      note: steps === null ? 'switched off' : 'then the oldest are deleted',
      text: steps === null ? 'not recorded' : bytesText(steps),
      part: null,
    },
    { name: 'Recordings', ...counted(limits.recordings) },
    { name: 'Storage of recordings', ...bytes(limits.recording_bytes) },
    { name: 'Storage of uploaded apps', ...bytes(limits.upload_bytes) },
    { name: 'Uploads today', note: 'by UTC', ...counted(limits.uploads_today) },
    { name: 'Active API keys', ...counted(limits.keys) },
    { name: 'Webhooks', ...counted(limits.webhooks) },
  ]
}

export function ProjectLimits({ project }: { project: string }) {
  const limits = useQuery({
    queryKey: ['limits', project],
    queryFn: () => call('GET /projects/:project/limits', { project }),
    refetchInterval: refreshMs,
  })
  return (
    <section className="grid min-w-0 gap-3" aria-labelledby="limits">
      <div className="grid gap-1">
        <h2 id="limits" className="font-semibold">
          Limits
        </h2>
        <Explanation />
      </div>
      <Card>
        <Loaded query={limits}>
          {(data) => (
            <ul aria-labelledby="limits" className="grid gap-px bg-border sm:grid-cols-2">
              {rowsOf(data).map((row) => (
                <LimitRow key={row.name} {...row} />
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
    </section>
  )
}

function Explanation() {
  const { has_operator_pages: hasOperatorPages } = useSession()
  return (
    <p className="max-w-prose text-muted">
      At a limit, new requests are refused, and running phones continue.{' '}
      {hasOperatorPages ? (
        <>
          Change the limits of phones and spending under{' '}
          <Link to="/operator/projects" className="rounded underline underline-offset-2">
            All projects
          </Link>
          .
        </>
      ) : (
        'An operator of this service can change the limits of phones, spending and steps.'
      )}
    </p>
  )
}

const LimitRow = ({ name, note, text, part }: Row) => (
  <li className="grid content-start gap-1.5 bg-surface px-4 py-2.5 sm:px-5">
    <div className="flex items-baseline justify-between gap-4">
      <span className="min-w-0">
        {name} {note !== undefined && <span className="text-[13px] text-muted">{note}</span>}
      </span>
      <span className="shrink-0 tabular-nums">{text}</span>
    </div>
    {part !== null && (
      <div className="h-1.5 overflow-hidden rounded-full bg-hover" aria-hidden>
        <div
          className={cn('h-full rounded-full', part >= nearly ? 'bg-warn' : 'bg-primary')}
          style={{ width: `${part * 100}%` }}
        />
      </div>
    )}
  </li>
)
