/** The audit log of operators' and users' changes, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { call } from '../../api/client'
import { type AuditEntry } from '../../api/types'
import { withEscapes } from '../../direction'
import { ListCard, ShowMore, whileNewest } from '../../ui/list-card'
import { Name } from '../../ui/name'
import { Page } from '../../ui/page'
import { Time } from '../../ui/time'

/** Milliseconds between two reads of the newest entries. */
const refreshMs = 5000

export function Audit() {
  const list = useInfiniteQuery({
    queryKey: ['operator', 'audit'],
    queryFn: ({ pageParam }) => call('GET /operator/audit', { before: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
    refetchInterval: whileNewest(refreshMs),
  })
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <Page title="Audit log" description="Changes by operators and users, with the values before and after.">
      <ListCard
        query={list}
        items={entries}
        icon={<History className="size-5" />}
        label="Audit log"
        none="No changes yet"
      >
        {(entry) => <Row key={entry.id} entry={entry} />}
      </ListCard>
      <ShowMore pages={list} />
    </Page>
  )
}

const Row = ({ entry }: { entry: AuditEntry }) => (
  <li className="grid grid-cols-1 min-w-0 gap-1 px-4 py-3 sm:px-5">
    <div className="flex items-baseline justify-between gap-4">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="font-mono text-[13px]">{entry.action}</span>
        {entry.target !== null && (
          <span className="font-mono text-xs break-all text-muted">{entry.target}</span>
        )}
      </p>
      <p className="shrink-0 text-[13px] text-muted tabular-nums">
        <Time at={entry.at} />
      </p>
    </div>
    <details className="min-w-0">
      <summary className="w-fit max-w-full cursor-pointer rounded text-[13px] break-words text-muted hover:text-foreground">
        <Name>{entry.token_name || entry.token_id}</Name>
        {entry.address !== '' && ` · ${entry.address}`} · values
      </summary>
      <div className="grid min-w-0 gap-2 pt-2 sm:grid-cols-2">
        {Object.entries({ Before: entry.before, After: entry.after }).map(([name, value]) => (
          <pre
            key={name}
            tabIndex={0}
            aria-label={name}
            className="max-h-60 min-w-0 overflow-auto rounded-md border border-border bg-code p-3 font-mono text-xs"
          >
            {value === null ? 'none' : withEscapes(JSON.stringify(value, null, 2))}
          </pre>
        ))}
      </div>
    </details>
  </li>
)
