/** Changes that programs and agents made with the keys of a project, and members in the console. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { call } from '../api/client'
import { useSession } from '../api/session'
import { type ActivityEntry } from '../api/types'
import { Badge } from '../ui/badge'
import { Export } from '../ui/export'
import { ListCard, ShowMore, whileNewest } from '../ui/list-card'
import { Name } from '../ui/name'
import { Page } from '../ui/page'
import { Time } from '../ui/time'
import { ActivityFilters } from './activity-filters'
import { PhoneLink } from './phone-link'

/** Milliseconds between two reads of the newest entries. */
const refreshMs = 5000

const columns = [
  'at',
  'text',
  'method',
  'route',
  'status',
  'code',
  'ms',
  'phone_id',
  'key_id',
  'request_id',
] as const satisfies readonly (keyof ActivityEntry)[]

export function Activity() {
  const { project: id } = useParams({ from: '/inside/projects/$project/activity' })
  const filter = useSearch({ from: '/inside/projects/$project/activity' })
  const isFiltered = Object.keys(filter).length > 0
  const keys = useQuery({
    queryKey: ['keys', id],
    queryFn: () => call('GET /projects/:project/keys', { project: id }),
  })
  const list = useInfiniteQuery({
    queryKey: ['activity', id, filter],
    queryFn: ({ pageParam }) =>
      call('GET /projects/:project/activity', { project: id, ...filter, before: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
    refetchInterval: whileNewest(refreshMs),
  })
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? []
  const members = useQuery({
    queryKey: ['members', id],
    queryFn: () => call('GET /projects/:project/members', { project: id }),
  })
  const { user } = useSession()
  /** The name of a key, or of a member who used the console. An operator is not a member. */
  const nameOf = (by: string): string =>
    (by === user?.id ? user.name : undefined) ??
    keys.data?.data.find((each) => each.id === by)?.name ??
    members.data?.data.find((each) => each.user_id === by)?.name ??
    by

  return (
    <Page
      title="Activity"
      description="Changes and attempted changes by API keys, and by members to phones and webhooks. Typed text is not recorded."
      actions={
        entries.length > 0 && <Export name="activity" what="entries" columns={columns} rows={entries} />
      }
    >
      <ActivityFilters
        project={id}
        filter={filter}
        keys={keys.data?.data ?? []}
        people={(members.data?.data ?? []).map(({ user_id: member, name }) => ({ id: member, name }))}
      />
      <ListCard
        query={list}
        items={entries}
        icon={<ScrollText className="size-5" />}
        label="Activity"
        none={isFiltered ? 'No entry matches' : 'No activity yet'}
        hint={!isFiltered && <p>Changes that programs make with a key of this project are listed here.</p>}
      >
        {(entry) => <Row key={entry.id} project={id} entry={entry} by={nameOf(entry.key_id)} />}
      </ListCard>
      <ShowMore pages={list} />
    </Page>
  )
}

/** The request of a program, or a note that a member used the console. */
const requestOf = ({ method, route }: ActivityEntry) =>
  route.startsWith('/console/') ? (
    'in the console'
  ) : (
    <span className="font-mono">
      {method} {route}
    </span>
  )

const Row = ({ project, entry, by }: { project: string; entry: ActivityEntry; by: string }) => (
  <li className="grid gap-x-6 gap-y-1 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_10rem_7rem] sm:items-center sm:px-5">
    <div className="min-w-0">
      <p className="truncate">{entry.text}</p>
      <p className="truncate text-[13px] text-muted">
        {entry.phone_id !== null && (
          <>
            <PhoneLink project={project} phone={entry.phone_id} />
            {' · '}
          </>
        )}
        <Name>{by}</Name>
        {' · '}
        {requestOf(entry)}
      </p>
    </div>
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:contents">
      <div>
        <Badge tone={entry.status < 400 ? 'good' : 'danger'}>{entry.code ?? entry.status}</Badge>
      </div>
      <p className="text-[13px] text-muted tabular-nums sm:text-right">
        <Time at={entry.at} />
      </p>
    </div>
  </li>
)
