/** The actions of an operator on a device. The server decides whether an action is possible now. */
import { Ellipsis, Eraser, PlugZap, RotateCcw, Undo2, Unplug, Wrench } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { type Device } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Button } from '../../ui/button'
import { Ask, Confirm } from '../../ui/dialog'
import { Menu, MenuItem, MenuLine } from '../../ui/menu'
import { Drain } from './drain'
import { Enroll } from './enroll'
import { Maintenance } from './maintenance'

type Asked = 'drain' | 'enroll' | 'release' | 'keep' | 'maintenance'

const canEnroll = ({ state, link }: Device): boolean =>
  state === 'unenrolled' ||
  (link === 'unenrolled' && ['offline', 'quarantined', 'wiping', 'assigned'].includes(state))

const isLost = ({ host_state: state }: Device): boolean => state === 'lost' || state === 'retired'
const canRelease = (device: Device): boolean =>
  device.state === 'quarantined' || (device.state === 'assigned' && isLost(device))
const canKeep = ({ state, phone_id: phone }: Device): boolean => state === 'quarantined' && phone !== null

export function DeviceActions({ device }: { device: Device }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const change = useChange(['operator'])
  const close = (): void => setAsked(null)
  const { id, serial } = device
  const isDrained = device.drained_at !== null
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="icon" className="-mt-2" aria-label={`Actions for ${serial}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem onSelect={() => setAsked('drain')}>
          <Unplug aria-hidden /> {isDrained ? 'Change the deadline…' : 'Drain…'}
        </MenuItem>
        <MenuItem
          isDisabled={!isDrained}
          onSelect={() => change.mutate(() => call('POST /operator/devices/:device/undrain', { device: id }))}
        >
          <PlugZap aria-hidden /> End the drain
        </MenuItem>
        {device.maintenance === null ? (
          <MenuItem onSelect={() => setAsked('maintenance')}>
            <Wrench aria-hidden /> Begin maintenance…
          </MenuItem>
        ) : (
          <MenuItem
            onSelect={() =>
              change.mutate(() => call('DELETE /operator/devices/:device/maintenance', { device: id }))
            }
          >
            <Wrench aria-hidden /> End maintenance
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem isDisabled={!canKeep(device)} onSelect={() => setAsked('keep')}>
          <Undo2 aria-hidden /> Return to its phone…
        </MenuItem>
        <MenuItem isDangerous isDisabled={!canRelease(device)} onSelect={() => setAsked('release')}>
          <RotateCcw aria-hidden /> Release…
        </MenuItem>
        <MenuItem isDangerous isDisabled={!canEnroll(device)} onSelect={() => setAsked('enroll')}>
          <Eraser aria-hidden /> Enrol…
        </MenuItem>
      </Menu>
      {asked === 'drain' && (
        <Drain
          name={serial}
          onClose={close}
          drain={(seconds) =>
            call('POST /operator/devices/:device/drain', { device: id }, { deadline_seconds: seconds })
          }
        />
      )}
      {asked === 'maintenance' && <Maintenance device={device} onClose={close} />}
      {asked === 'enroll' && <Enroll device={device} onClose={close} />}
      <Confirm
        isOpen={asked === 'release'}
        onOpenChange={close}
        title={<Ask verb="Release" name={serial} />}
        description={
          device.phone_id === null
            ? 'The device is wiped and checked again. It is rented only if all checks pass.'
            : `The phone ${device.phone_id} on it fails, and its data is lost. The device is then wiped and checked. This cannot be undone.`
        }
        action="Release device"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(
            () => call('POST /operator/devices/:device/release', { device: id }, { keep: false }),
            { onSuccess: close },
          )
        }
      />
      <Confirm
        isOpen={asked === 'keep'}
        onOpenChange={close}
        title={<Ask verb="Return" name={serial} />}
        description={`The device is not wiped, and returns to the phone ${device.phone_id ?? ''} with its data. Do this only if you know what happened to the device.`}
        action="Return device"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(
            () => call('POST /operator/devices/:device/release', { device: id }, { keep: true }),
            { onSuccess: close },
          )
        }
      />
    </>
  )
}
