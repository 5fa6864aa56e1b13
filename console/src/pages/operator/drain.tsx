/** Asks how long running phones of a host or device may continue, and drains it. */
import { type SubmitEvent } from 'react'
import { useChange } from '../../shell/use-change'
import { undirected } from '../../direction'
import { Button } from '../../ui/button'
import { Ask, Dialog, DialogButtons } from '../../ui/dialog'
import { SelectField } from '../../ui/field'
import { drainDeadlines } from './texts'

interface Props {
  name: string
  onClose: () => void
  drain: (seconds: number) => Promise<unknown>
}

export function Drain({ name, onClose, drain }: Props) {
  const change = useChange(['operator'])
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const seconds = Number(new FormData(event.currentTarget).get('deadline'))
    change.mutate(() => drain(seconds), { onSuccess: onClose })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={<Ask verb="Drain" name={name} />}
      description={`No new phones start on ${undirected(name)}. Running phones end at the deadline, and keep their apps and files. They can start again after the drain.`}
    >
      <form className="grid gap-4" onSubmit={submit}>
        <SelectField label="Running phones" name="deadline" defaultValue="1800">
          {drainDeadlines.map(([seconds, text]) => (
            <option key={seconds} value={seconds}>
              {text}
            </option>
          ))}
        </SelectField>
        <DialogButtons>
          <Button type="submit" look="danger" isBusy={change.isPending}>
            Drain
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
