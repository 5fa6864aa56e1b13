/** Takes a device out of the pool with a note for other operators. */
import { call } from '../../api/client'
import { type Device } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Button } from '../../ui/button'
import { Ask, Dialog, DialogButtons } from '../../ui/dialog'
import { TextField, textOf } from '../../ui/field'

interface Props {
  device: Device
  onClose: () => void
}

export function Maintenance({ device, onClose }: Props) {
  const change = useChange(['operator'])
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
          const note = textOf(event.currentTarget, 'note')
          change.mutate(
            () => call('POST /operator/devices/:device/maintenance', { device: device.id }, { note }),
            { onSuccess: onClose },
          )
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
