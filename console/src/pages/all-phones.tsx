/** The phones of all projects of the user, read again when one changes. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Smartphone } from 'lucide-react'
import { call, messageOf } from '../api/client'
import { isAtLeast, useSession } from '../api/session'
import { type AllPhonesFilter, type ProjectRef } from '../api/types'
import { fewPages, useAllChanges } from '../shell/changes'
import { needsOf, sortByNeed, useHandoffs } from '../shell/handoffs'
import { Choice, Unlisted } from '../ui/choice'
import { useFilter } from '../ui/filter'
import { ListCard } from '../ui/list-card'
import { MoreInView } from '../ui/more-in-view'
import { Page } from '../ui/page'
import { firstRows, PhoneRow } from './phone-row'
import { StateChoice } from './state-choice'

/** Milliseconds between two reads of the list, because some changes are not events. Each read page is a request. */
const refreshMs = 10_000

export function AllPhones() {
  const filter = useSearch({ from: '/inside/phones' })
  useAllChanges()
  const list = useInfiniteQuery({
    queryKey: ['all-phones', filter],
    queryFn: ({ pageParam }) => call('GET /phones', { ...filter, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      refreshMs * Math.ceil(Math.max(1, state.data?.pages.length ?? 1) / fewPages),
  })
  const needs = needsOf(useHandoffs().data)
  const phones = sortByNeed(list.data?.pages.flatMap(({ data }) => data) ?? [], needs)
  const projects = list.data?.pages[0]?.projects ?? []
  const projectOf = new Map(projects.map((project) => [project.id, project]))
  const isFiltered = Object.keys(filter).length > 0
  const hasNone = list.isSuccess && projects.length === 0
  return (
    <Page
      title="Phones of all projects"
      description="The list is live. It covers the projects that you belong to."
    >
      {!hasNone && (
        <div className="flex flex-wrap items-center gap-3">
          <Filters filter={filter} projects={projects} />
          {list.isRefetchError && (
            <p role="status" className="text-danger">
              Not up to date: {messageOf(list.error)}
            </p>
          )}
        </div>
      )}
      <ListCard
        query={list}
        items={phones}
        icon={<Smartphone className="size-5" />}
        label="Phones"
        none={
          hasNone ? 'You do not belong to a project yet' : isFiltered ? 'No phone matches' : 'No phones yet'
        }
        hint={hasNone ? <NoProjects /> : !isFiltered && <p>Rent a phone on the page of a project.</p>}
      >
        {(phone, at) => {
          const project = projectOf.get(phone.project_id)
          return (
            project && (
              <PhoneRow
                key={phone.id}
                project={project.id}
                inProject={project.name}
                phone={phone}
                need={needs.get(phone.id)}
                mayChange={isAtLeast(project.role, 'member')}
                isFirst={at < firstRows}
              />
            )
          )
        }}
      </ListCard>
      {list.hasNextPage && (
        <MoreInView isBusy={list.isFetchingNextPage} onShow={() => void list.fetchNextPage()} />
      )}
    </Page>
  )
}

const NoProjects = () => (
  <p>
    {useSession().user?.is_operator
      ? 'Operators see the phones of projects here once they are a member. Open a project to see its phones.'
      : 'Create a project, or ask an owner of a project to invite you.'}
  </p>
)

function Filters({ filter, projects }: { filter: AllPhonesFilter; projects: readonly ProjectRef[] }) {
  const choose = useFilter(filter)
  return (
    <>
      <Choice label="Project" value={filter.project ?? ''} onChange={(value) => choose('project', value)}>
        <option value="">all</option>
        <Unlisted value={filter.project} listed={projects.map(({ id }) => id)} />
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <StateChoice value={filter.status} onChange={(value) => choose('status', value)} />
    </>
  )
}
