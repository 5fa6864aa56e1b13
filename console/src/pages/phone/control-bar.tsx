/** Shows who controls the phone. Members take it over from agents, and hand it back with a note. */
import { useMutation } from '@tanstack/react-query'
import { Hand, Undo2 } from 'lucide-react'
import { useId, useState } from 'react'
import { toast } from 'sonner'
import { undirected } from '../../direction'
import { call, messageOf } from '../../api/client'
import { type Control } from '../../api/types'
import { Button } from '../../ui/button'
import { cn } from '../../ui/cn'
import { Dialog } from '../../ui/dialog'
import { Name } from '../../ui/name'
import { useTakeOver, type PhoneControl } from './use-control'

interface Props {
  project: string
  phone: string
  /** The user may take the phone over. */
  mayControl: boolean
  held: PhoneControl
}

export function ControlBar({ project, phone, mayControl, held: { control, isLost, setHandedBack } }: Props) {
  const [isGivingBack, setIsGivingBack] = useState(false)
  const take = useTakeOver(project, phone)
  if (control === undefined) return <div className="h-14 border-b border-border" />
  const isTaken = control?.status === 'taken'
  return (
    <div
      className={cn(
        'flex min-h-14 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-border px-4 py-2.5',
        control?.status === 'open' && 'bg-warn-surface text-warn',
      )}
    >
      <div role="status" className="min-w-0 flex-1 basis-52">
        {isLost && <p className="font-medium text-warn">Your take-over has ended.</p>}
        <Text control={control} mayControl={mayControl} />
      </div>
      {mayControl &&
        (isTaken ? (
          <Button size="small" look="primary" onClick={() => setIsGivingBack(true)}>
            <Undo2 aria-hidden /> Hand back…
          </Button>
        ) : (
          <Button
            size="small"
            look={control === null ? 'plain' : 'primary'}
            isBusy={take.isPending}
            onClick={() => take.mutate()}
          >
            <Hand aria-hidden /> Take over
          </Button>
        ))}
      {control && (
        <HandBack
          project={project}
          phone={phone}
          control={control}
          onBack={setHandedBack}
          isOpen={isGivingBack && isTaken}
          onOpenChange={setIsGivingBack}
        />
      )}
    </div>
  )
}

function Text({ control, mayControl }: { control: Control | null; mayControl: boolean }) {
  if (!control)
    return (
      <p className="text-muted">Agents control the phone.{mayControl && ' Take over to keep them away.'}</p>
    )
  if (control.status === 'open')
    return (
      <>
        <p className="font-medium">An agent asks for help</p>
        {control.message !== null && (
          <p className="break-words whitespace-pre-wrap">{undirected(control.message)}</p>
        )}
      </>
    )
  return (
    <p>
      <span className="font-medium">
        {control.is_you ? (
          'You control'
        ) : control.by === null ? (
          'A person controls'
        ) : (
          <Name>{control.by}</Name>
        )}
        {!control.is_you && control.by !== null && ' controls'} the phone.
      </span>{' '}
      <span className="text-muted">Agents wait, and can still see the screen.</span>
    </p>
  )
}

interface HandBackProps {
  project: string
  phone: string
  control: Control
  onBack: () => void
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

function HandBack({ project, phone, control, onBack, isOpen, onOpenChange }: HandBackProps) {
  const [note, setNote] = useState('')
  const id = useId()
  const back = useMutation({
    mutationFn: () =>
      call(
        'POST /projects/:project/phones/:phone/control/:handoff/end',
        { project, phone, handoff: control.id },
        { note },
      ),
    onSuccess: () => {
      setNote('')
      onOpenChange(false)
      onBack()
    },
    onError: (error) => void toast.error(messageOf(error)),
  })
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title="Hand the phone back"
      description="The agent continues, and can read your note."
      isSticky
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          back.mutate()
        }}
      >
        <div className="grid gap-1.5">
          <label htmlFor={id} className="font-medium">
            Note for the agent
          </label>
          <textarea
            id={id}
            rows={4}
            maxLength={500}
            value={note}
            onChange={(event) => setNote(event.target.value)}
            placeholder="For example: I have closed the pop-up."
            className="field h-auto py-2"
          />
        </div>
        <div className="flex justify-end gap-2">
          <Button onClick={() => onOpenChange(false)}>Keep control</Button>
          <Button type="submit" look="primary" isBusy={back.isPending}>
            Hand back
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
