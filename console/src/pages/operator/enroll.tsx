/** Enrols a device, which erases it, after the operator typed its serial. */
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { type Device } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Button } from '../../ui/button'
import { Ask, Dialog, DialogButtons } from '../../ui/dialog'
import { TextField } from '../../ui/field'
import { Name } from '../../ui/name'
import { modelOf } from './texts'

interface Props {
  device: Device
  onClose: () => void
}

export function Enroll({ device, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const change = useChange(['operator'])
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={<Ask verb="Enrol" name={device.serial} />}
      description={
        <>
          <Name>{modelOf(device)}</Name> at <Name>{device.host_name}</Name>
        </>
      }
    >
      <p className="flex gap-3 rounded-md border border-danger/40 px-3 py-2.5">
        <TriangleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden />
        <span>
          <strong>All apps, accounts and files on this phone are erased.</strong> This cannot be undone. Never
          enrol a phone that a person uses.
          {device.phone_id !== null && (
            <>
              {' '}
              Its host has no record of it, and the phone <Name>{device.phone_id}</Name> of a tenant fails.
            </>
          )}
        </span>
      </p>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(
            () =>
              call(
                'POST /operator/devices/:device/enroll',
                { device: device.id },
                { serial: typed, fail_phone: device.phone_id },
              ),
            { onSuccess: onClose },
          )
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
        <DialogButtons>
          <Button type="submit" look="danger" disabled={typed !== device.serial} isBusy={change.isPending}>
            Erase and enrol
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
