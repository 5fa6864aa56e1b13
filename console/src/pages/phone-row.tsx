import { Link } from '@tanstack/react-router'
import { Ellipsis, Pause, Play, Trash2 } from 'lucide-react'
import { memo, useState } from 'react'
import { type Phone } from '../api/types'
import { Button } from '../ui/button'
import { cn } from '../ui/cn'
import { Ask, Confirm } from '../ui/dialog'
import { undirected } from '../direction'
import { Menu, MenuItem } from '../ui/menu'
import { useNear } from '../ui/near'
import { Time } from '../ui/time'
import { usePhoneChange } from './phone/change'
import { type Need } from '../shell/handoffs'
import { canPark, canStart, NeedBadge, PhoneBadge } from './phone/status'

/** The number of rows that are rendered whole before their positions are measured. */
export const firstRows = 20

interface Props {
  project: string
  /** The project's name, if the row shows it. */
  inProject?: string
  phone: Phone
  /** Omitted: agents control the phone, and no agent waits for a person. */
  need?: Need | undefined
  mayChange: boolean
  /** Whether the row is rendered whole before its position is measured. */
  isFirst: boolean
}

/** A row far outside of the window contains only the texts that the browser's search needs. */
export const PhoneRow = memo(function PhoneRow({ isFirst, ...of }: Props) {
  const { here, isNear, height } = useNear<HTMLLIElement>(isFirst)
  return (
    <li ref={here} className="px-4 py-3 sm:px-5" style={isNear ? undefined : { height: height ?? '5.25rem' }}>
      {isNear ? (
        <Row {...of} />
      ) : (
        <>
          <bdi>{of.phone.name}</bdi> {of.phone.id}
        </>
      )}
    </li>
  )
})

function Row({ project, inProject, phone, need, mayChange }: Omit<Props, 'isFirst'>) {
  const metadata = Object.entries(phone.metadata)
  return (
    <div className="flex items-start gap-3 sm:items-center">
      <div
        className={cn(
          'grid min-w-0 flex-1 gap-x-6 gap-y-1 sm:grid-cols-[minmax(0,1fr)_8rem_11rem] sm:items-center md:max-lg:grid-cols-1',
          inProject !== undefined && 'xl:grid-cols-[minmax(0,1fr)_minmax(0,12rem)_8rem_11rem]',
        )}
      >
        <div className="min-w-0">
          <p className="truncate font-medium">
            <Link
              to="/projects/$project/phones/$phone"
              params={{ project, phone: phone.id }}
              className="rounded hover:underline hover:underline-offset-2"
            >
              <bdi>{phone.name}</bdi>
            </Link>
          </p>
          <p className="truncate font-mono text-xs text-muted">{phone.id}</p>
          {metadata.length > 0 && (
            <p className="truncate text-[13px] text-muted">
              <bdi>{undirected(metadata.map(([key, value]) => `${key}: ${value}`).join(' · '))}</bdi>
            </p>
          )}
        </div>
        {inProject !== undefined && (
          <p className="truncate text-[13px] text-muted sm:col-start-1 sm:row-start-2 xl:col-auto xl:row-auto">
            <span className="sr-only">Project: </span>
            <Link
              to="/projects/$project/phones"
              params={{ project }}
              className="rounded hover:underline hover:underline-offset-2"
            >
              <bdi>{inProject}</bdi>
            </Link>
          </p>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:contents">
          <div>{need === undefined ? <PhoneBadge status={phone.status} /> : <NeedBadge need={need} />}</div>
          <p className="text-[13px] text-muted">
            {phone.session ? (
              <>
                parks <Time at={phone.session.parks_at} />
              </>
            ) : phone.failure ? (
              phone.failure.message
            ) : (
              <>
                created <Time at={phone.created_at} />
              </>
            )}
          </p>
        </div>
      </div>
      {mayChange && phone.status !== 'deleted' && <Actions project={project} phone={phone} />}
    </div>
  )
}

function Actions({ project, phone }: Pick<Props, 'project' | 'phone'>) {
  const [isDeleting, setIsDeleting] = useState(false)
  const change = usePhoneChange(project, phone.id)
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="icon" aria-label={`Actions for ${phone.name}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem isDisabled={!canStart(phone)} onSelect={() => change.mutate('start')}>
          <Play aria-hidden /> Start
        </MenuItem>
        <MenuItem isDisabled={!canPark(phone)} onSelect={() => change.mutate('park')}>
          <Pause aria-hidden /> Park
        </MenuItem>
        <MenuItem isDangerous onSelect={() => setIsDeleting(true)}>
          <Trash2 aria-hidden /> Delete…
        </MenuItem>
      </Menu>
      <Confirm
        isOpen={isDeleting}
        onOpenChange={setIsDeleting}
        title={<Ask verb="Delete" name={phone.name} />}
        description="Its apps and files are erased, and cannot be restored."
        action="Delete phone"
        isBusy={change.isPending}
        onConfirm={() => change.mutate('delete', { onSuccess: () => setIsDeleting(false) })}
      />
    </>
  )
}
