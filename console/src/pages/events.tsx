/** The events of a project, newest first. The page reads them again when something changes. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { CalendarClock } from 'lucide-react'
import { call, messageOf } from '../api/client'
import { type EventFilter, type ProjectEvent } from '../api/types'
import { useChanges } from '../shell/changes'
import { Choice, Filters, Unlisted } from '../ui/choice'
import { withEscapes } from '../direction'
import { Export } from '../ui/export'
import { useFilter } from '../ui/filter'
import { ListCard, ShowMore } from '../ui/list-card'
import { Page } from '../ui/page'
import { Time } from '../ui/time'
import { ByPhone } from './by-phone'
import { PhoneLink } from './phone-link'

const columns = ['created_at', 'type', 'phone_id', 'id', 'data'] as const

export function Events() {
  const { project: id } = useParams({ from: '/inside/projects/$project/events' })
  const filter = useSearch({ from: '/inside/projects/$project/events' })
  const isFiltered = Object.keys(filter).length > 0
  useChanges(id)
  const list = useInfiniteQuery({
    queryKey: ['events', id, filter],
    queryFn: ({ pageParam }) =>
      call('GET /projects/:project/events', { project: id, ...filter, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
  const pages = list.data?.pages ?? []
  const events = pages.flatMap(({ data }) => data)
  return (
    <Page
      title="Events"
      description="Changes of phones, sessions, apps and credit, newest first. New events appear automatically."
      actions={
        events.length > 0 && (
          <Export
            name="events"
            what="events"
            columns={columns}
            rows={events.map((event) => ({ ...event, data: JSON.stringify(event.data) }))}
            json={events}
          />
        )
      }
    >
      <Filters>
        <EventFilters project={id} filter={filter} types={pages[0]?.types ?? []} />
        {list.isRefetchError && (
          <p role="status" className="col-span-full text-danger">
            Not up to date: {messageOf(list.error)}
          </p>
        )}
      </Filters>
      <ListCard
        query={list}
        items={events}
        icon={<CalendarClock className="size-5" />}
        label="Events"
        none={isFiltered ? 'No event matches' : 'No events yet'}
        hint={!isFiltered && <p>The first events appear when a phone is rented.</p>}
      >
        {(event) => <Row key={event.id} project={id} event={event} />}
      </ListCard>
      <ShowMore pages={list} />
    </Page>
  )
}

interface FiltersProps {
  project: string
  filter: EventFilter
  types: readonly string[]
}

function EventFilters({ project, filter, types }: FiltersProps) {
  const choose = useFilter(filter)
  return (
    <>
      <Choice label="Type" value={filter.type ?? ''} onChange={(value) => choose('type', value)}>
        <option value="">all</option>
        <Unlisted value={filter.type} listed={types} />
        {types.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Choice>
      <ByPhone project={project} phone={filter.phone} onChange={(value) => choose('phone', value)} />
    </>
  )
}

const Row = ({ project, event }: { project: string; event: ProjectEvent }) => (
  <li className="grid grid-cols-1 gap-1 px-4 py-3 sm:px-5">
    <div className="flex items-baseline justify-between gap-4">
      <p className="flex min-w-0 flex-wrap gap-x-3">
        <span className="font-mono text-[13px]">{event.type}</span>
        {event.phone_id !== null && (
          <span className="text-[13px] text-muted">
            <PhoneLink project={project} phone={event.phone_id} />
          </span>
        )}
      </p>
      <p className="shrink-0 text-[13px] text-muted tabular-nums">
        <Time at={event.created_at} />
      </p>
    </div>
    <details className="min-w-0">
      <summary className="w-fit cursor-pointer rounded text-[13px] text-muted hover:text-foreground">
        Data<span className="sr-only"> of {event.id}</span>
      </summary>
      <pre
        tabIndex={0}
        aria-label={`Data of ${event.id}`}
        className="mt-2 max-h-60 min-w-0 overflow-auto rounded-md border border-border bg-code p-3 font-mono text-xs"
      >
        {withEscapes(JSON.stringify(event.data, null, 2))}
      </pre>
    </details>
  </li>
)
