/** The phones of a project, read again when one changes. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { Plus, Smartphone } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { toast } from 'sonner'
import { call, messageOf } from '../api/client'
import { isAtLeast } from '../api/session'
import { useChanges } from '../shell/changes'
import { needsOf, useHandoffs } from '../shell/handoffs'
import { useProject } from '../shell/project'
import { Button } from '../ui/button'
import { Filters } from '../ui/choice'
import { undirected } from '../direction'
import { ListCard } from '../ui/list-card'
import { usdText } from '../ui/money'
import { MoreInView } from '../ui/more-in-view'
import { NameDialog } from '../ui/name-dialog'
import { Loading, Page } from '../ui/page'
import { PhoneFilters } from './phone-filters'
import { firstRows, PhoneRow } from './phone-row'
import { ViewSwitch } from './phones-view'
import { usePhonePages } from './phones/use-phone-pages'
import { ProjectFigures } from './project-figures'

const PhoneWall = lazy(() => import('./wall'))

export function Phones() {
  const { project: id } = useParams({ from: '/inside/projects/$project/phones' })
  const { view = 'list', ...filter } = useSearch({ from: '/inside/projects/$project/phones' })
  const isFiltered = Object.keys(filter).length > 0
  useChanges(id)
  const role = useProject()?.role ?? 'viewer'
  const mayChange = isAtLeast(role, 'member')
  const [isNewOpen, setIsNewOpen] = useState(false)
  const needs = needsOf(useHandoffs().data)
  const { box, list, again, phones } = usePhonePages(id, filter, needs)

  return (
    <Page
      title="Phones"
      description="The list is live. A parked phone keeps its apps and files, and costs nothing."
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setIsNewOpen(true)}>
            <Plus aria-hidden /> New phone
          </Button>
        )
      }
    >
      <ProjectFigures project={id} />
      <Filters>
        <PhoneFilters project={id} filter={filter} view={view} />
        <ViewSwitch filter={filter} view={view} />
        {again.isRefetchError && (
          <p role="status" className="col-span-full basis-full text-danger">
            Not up to date: {messageOf(again.error)}
          </p>
        )}
      </Filters>
      <div ref={box}>
        <ListCard
          query={list}
          items={phones}
          icon={<Smartphone className="size-5" />}
          label="Phones"
          none={isFiltered ? 'No phone matches' : 'No phones yet'}
          hint={!isFiltered && <p>Rent a phone here, or with an API key.</p>}
          instead={
            view === 'wall' && (
              <Suspense fallback={<Loading />}>
                <PhoneWall key={id} project={id} phones={phones} needs={needs} />
              </Suspense>
            )
          }
        >
          {(phone, at) => (
            <PhoneRow
              key={phone.id}
              project={id}
              phone={phone}
              need={needs.get(phone.id)}
              mayChange={mayChange}
              isFirst={at < firstRows}
            />
          )}
        </ListCard>
      </div>
      {list.hasNextPage && (
        <MoreInView isBusy={list.isFetchingNextPage} onShow={() => void list.fetchNextPage()} />
      )}
      <NewPhone project={id} isOpen={isNewOpen} onOpenChange={setIsNewOpen} />
    </Page>
  )
}

interface NewPhoneProps {
  project: string
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

function NewPhone({ project, isOpen, onOpenChange }: NewPhoneProps) {
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: ['project', project],
    queryFn: () => call('GET /projects/:project', { project }),
  })
  const create = useMutation({
    /** @param name empty: the service chooses one */
    mutationFn: (name: string) =>
      call('POST /projects/:project/phones', { project }, name === '' ? {} : { name }),
    async onSuccess({ name }) {
      onOpenChange(false)
      toast.success(`${undirected(name)} is being prepared.`)
      await queries.invalidateQueries({ queryKey: ['phones', project] })
    },
  })
  return (
    <NameDialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title="New phone"
      description={`${data ? `It costs ${usdText(data.price.per_minute_usd)} a minute while it runs, at least ${data.price.minimum_seconds} seconds.` : 'It is billed while it runs.'} It parks after 5 minutes without use, and then costs nothing.`}
      action="Rent phone"
      creation={create}
      field={{ hint: 'If you leave the field empty, a name is chosen for you.' }}
    />
  )
}
