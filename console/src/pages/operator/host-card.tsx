/** One host: its state, its figures, and the phones in its ports. */
import { Link } from '@tanstack/react-router'
import { Ellipsis, PlugZap, Trash2, Unplug } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { type Host, type Port } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Ask, Confirm } from '../../ui/dialog'
import { Menu, MenuItem } from '../../ui/menu'
import { Card } from '../../ui/page'
import { Time } from '../../ui/time'
import { PhoneBadge } from '../phone/status'
import { certificateWarnDays } from './alarms'
import { Drain } from './drain'
import { Facts } from './listed'
import { clockText, daysUntil, deviceTones, hostTones, modelOf } from './texts'

export function HostCard({ host }: { host: Host }) {
  const days = daysUntil(host.certificate_expires_at, new Date())
  const faults = [host.refuses, host.degraded, host.problem, host.report_fault].filter(
    (fault): fault is string => fault !== null,
  )
  return (
    <li aria-label={host.name} className="min-w-0">
      <Card className="grid grid-cols-1 gap-4 p-4 sm:p-5">
        <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
          <div className="grid grid-cols-1 min-w-0 flex-1 gap-1">
            <h2 className="font-semibold break-words">
              <bdi>{host.name}</bdi>
            </h2>
            <p className="font-mono text-xs break-all text-muted">{host.id}</p>
          </div>
          <div className="order-last flex w-full flex-wrap gap-1.5 sm:order-none sm:w-auto sm:justify-end">
            {host.drained_at !== null && (
              <Badge tone="warn">{host.running > 0 ? 'draining' : 'drained'}</Badge>
            )}
            <Badge tone={hostTones[host.state]}>{host.state}</Badge>
          </div>
          <Actions host={host} />
        </div>
        {faults.map((fault) => (
          <p key={fault} className="rounded-md bg-warn-surface px-3 py-2 break-words text-warn">
            {fault}
          </p>
        ))}
        <Facts
          facts={[
            ['Running phones', `${host.running} of ${host.devices} devices`],
            ['Load', host.load === null ? 'not reported' : host.load.toFixed(2)],
            ['Version', host.version ?? 'not reported'],
            ['Protocol', host.protocol_version ?? 'not reported'],
            [
              'Certificate',
              <span key="days" className={days < certificateWarnDays ? 'text-danger' : ''}>
                {days < 0 ? 'expired' : `${days} ${days === 1 ? 'day' : 'days'} left`}
              </span>,
            ],
            [
              'Last seen',
              host.last_seen_at === null ? (
                'never'
              ) : (
                <Time key="seen" at={host.last_seen_at} isExact={host.state !== 'online'} />
              ),
            ],
            ['Clock', clockText(host.clock_ahead_ms)],
            ['Country', host.country],
            ...(host.drain_until === null
              ? []
              : [['Drain deadline', <Time key="drain" at={host.drain_until} />] as const]),
          ]}
        />
        {host.ports.length === 0 ? (
          <p className="text-muted">No phone is connected.</p>
        ) : (
          <ul aria-label={`Phones in the ports of ${host.name}`} className="grid gap-2 sm:grid-cols-2">
            {host.ports.map((port) => (
              <PortRow key={port.id} port={port} />
            ))}
          </ul>
        )}
      </Card>
    </li>
  )
}

const PortRow = ({ port }: { port: Port }) => (
  <li className="grid min-w-0 grid-cols-1 content-start gap-1 rounded-md border border-border px-3 py-2">
    <div className="flex items-center justify-between gap-2">
      <span className="truncate">
        <bdi>{modelOf(port)}</bdi>
      </span>
      <Badge tone={port.maintenance_at === null ? deviceTones[port.state] : 'warn'}>
        {port.maintenance_at === null ? port.state : 'maintenance'}
      </Badge>
    </div>
    <p className="truncate font-mono text-xs text-muted">
      <bdi>{port.serial}</bdi>
    </p>
    {port.phone && (
      <div className="flex items-center justify-between gap-2">
        <Link
          to="/projects/$project/phones/$phone"
          params={{ project: port.phone.project_id, phone: port.phone.id }}
          className="min-w-0 truncate rounded underline underline-offset-2"
        >
          <bdi>{port.phone.name}</bdi>
        </Link>
        <PhoneBadge status={port.phone.status} />
      </div>
    )}
  </li>
)

function Actions({ host }: { host: Host }) {
  const [asked, setAsked] = useState<'drain' | 'retire' | null>(null)
  const change = useChange(['operator'])
  const held = host.ports.filter(({ phone }) => phone !== null).length
  const close = (): void => setAsked(null)
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="icon" className="-mt-2" aria-label={`Actions for ${host.name}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem onSelect={() => setAsked('drain')}>
          <Unplug aria-hidden /> {host.drained_at === null ? 'Drain…' : 'Change the deadline…'}
        </MenuItem>
        <MenuItem
          isDisabled={host.drained_at === null}
          onSelect={() => change.mutate(() => call('POST /operator/hosts/:host/undrain', { host: host.id }))}
        >
          <PlugZap aria-hidden /> End the drain
        </MenuItem>
        <MenuItem isDangerous onSelect={() => setAsked('retire')}>
          <Trash2 aria-hidden /> Retire…
        </MenuItem>
      </Menu>
      {asked === 'drain' && (
        <Drain
          name={host.name}
          onClose={close}
          drain={(seconds) =>
            call('POST /operator/hosts/:host/drain', { host: host.id }, { deadline_seconds: seconds })
          }
        />
      )}
      <Confirm
        isOpen={asked === 'retire'}
        onOpenChange={close}
        title={<Ask verb="Retire" name={host.name} />}
        description={`${held === 0 ? 'No phone is on it.' : `${held} ${held === 1 ? 'phone is' : 'phones are'} on it. They fail, and their data is lost.`} Its certificate is refused from now on, and the machine can join only as a new host. This cannot be undone.`}
        action="Retire host"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(
            () => call('POST /operator/hosts/:host/retire', { host: host.id }, { force: held > 0 }),
            { onSuccess: close },
          )
        }
      />
    </>
  )
}
