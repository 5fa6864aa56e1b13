/** Takes a device out of the pool with a note for other operators. */
import { beginMaintenance, type Device } from '../../api/operators'
import { Button } from '../../ui/button'
import { Ask, Dialog, DialogButtons } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { useOperatorChange } from './change'

interface Props {
  device: Device
  onClose: () => void
}

export function Maintenance({ device, onClose }: Props) {
  const change = useOperatorChange()
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={<Ask verb="Begin maintenance of" name={device.serial} />}
      description="The device gets no phone until you end the maintenance. Drain a device that is in use first."
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const note = new FormData(event.currentTarget).get('note')
          const text = typeof note === 'string' ? note : ''
          change.mutate(() => beginMaintenance(device.id, text), { onSuccess: onClose })
        }}
      >
        <TextField
          label="Note"
          name="note"
          required
          maxLength={200}
          autoComplete="off"
          placeholder="New battery"
        />
        <DialogButtons>
          <Button type="submit" look="primary" isBusy={change.isPending}>
            Begin maintenance
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
