/** Enrols a device, which erases it, after its serial was typed. */
import { useState } from 'react'
import { enrollDevice, type Device } from '../../api/operators'
import { Button } from '../../ui/button'
import { Ask, Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { useOperatorChange } from './change'
import { modelOf } from './texts'

interface Props {
  device: Device
  onClose: () => void
}

export function Enroll({ device, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const change = useOperatorChange()
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={<Ask verb="Enrol" name={device.serial} />}
      description={
        <>
          All apps, accounts and files on this phone (<bdi>{modelOf(device)}</bdi> at{' '}
          <bdi>{device.host_name}</bdi>) are erased. This cannot be undone. Never enrol a phone that a person
          uses.
        </>
      }
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(() => enrollDevice(device.id, typed), { onSuccess: onClose })
        }}
      >
        <TextField
          label="Type the serial to confirm"
          name="serial"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          className="font-mono"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
        />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={typed !== device.serial} isBusy={change.isPending}>
            Erase and enrol
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
