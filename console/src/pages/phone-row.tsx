import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pause, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { deletePhone, parkPhone, startPhone, type Phone, type PhoneStatus } from '../api/projects'
import { Badge, type Tone } from '../ui/badge'
import { Button } from '../ui/button'
import { Ask, Confirm } from '../ui/dialog'
import { Menu, MenuItem } from '../ui/menu'
import { Time } from '../ui/time'

const tones: Readonly<Record<PhoneStatus, Tone>> = {
  creating: 'busy',
  starting: 'busy',
  ready: 'good',
  parking: 'busy',
  parked: 'quiet',
  unavailable: 'warn',
  failed: 'danger',
  deleted: 'quiet',
}

interface Props {
  project: string
  phone: Phone
  mayChange: boolean
}

export function PhoneRow({ project, phone, mayChange }: Props) {
  const metadata = Object.entries(phone.metadata)
  return (
    <li className="flex items-start gap-3 px-4 py-3 sm:items-center sm:px-5">
      <div className="grid min-w-0 flex-1 gap-x-6 gap-y-1 sm:grid-cols-[minmax(0,1fr)_9rem_9rem] sm:items-center">
        <div className="min-w-0">
          <p className="truncate font-medium">{phone.name}</p>
          <p className="truncate font-mono text-xs text-muted">{phone.id}</p>
          {metadata.length > 0 && (
            <p className="truncate text-[13px] text-muted">
              {metadata.map(([key, value]) => `${key}: ${value}`).join(' · ')}
            </p>
          )}
        </div>
        <div>
          <Badge tone={tones[phone.status]}>{phone.status}</Badge>
        </div>
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
      {mayChange && phone.status !== 'deleted' && <Actions project={project} phone={phone} />}
    </li>
  )
}

function Actions({ project, phone }: Omit<Props, 'mayChange'>) {
  const [isDeleting, setIsDeleting] = useState(false)
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (act: (project: string, id: string) => Promise<Phone>) => act(project, phone.id),
    onError: (error) => void toast.error(messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['phones', project] }),
  })
  const canStart = phone.status === 'parked' || phone.status === 'unavailable'
  const canPark = phone.status === 'ready' || phone.status === 'starting' || phone.status === 'unavailable'
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="icon" aria-label={`Actions for ${phone.name}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem isDisabled={!canStart} onSelect={() => change.mutate(startPhone)}>
          <Play aria-hidden /> Start
        </MenuItem>
        <MenuItem isDisabled={!canPark} onSelect={() => change.mutate(parkPhone)}>
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
        onConfirm={() => change.mutate(deletePhone, { onSuccess: () => setIsDeleting(false) })}
      />
    </>
  )
}
