/** One device: its state, the reason for it, and details that open on demand. */
import { useState } from 'react'
import { type Device } from '../../api/types'
import { Badge } from '../../ui/badge'
import { Name } from '../../ui/name'
import { Time } from '../../ui/time'
import { DeviceActions } from './device-actions'
import { DeviceDetails } from './device-details'
import { conditionText, deviceTones, modelOf } from './texts'

/** Begins a text with a capital letter, except for names of checks. */
const sentence = (text: string): string =>
  /^[a-z]+_/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`

export function DeviceRow({ device }: { device: Device }) {
  const [isOpen, setIsOpen] = useState(false)
  const { condition, maintenance, wipe_checks: checks } = device
  const failed = checks.filter(({ passed }) => !passed).length
  const notes = [device.reason, device.next_step?.first ?? null, device.report_fault].filter(
    (note): note is string => note !== null,
  )
  return (
    <li aria-label={device.serial} className="grid grid-cols-1 gap-3 px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium">
            <bdi>{modelOf(device)}</bdi>
          </p>
          <p className="text-[13px] break-words text-muted">
            <Name className="font-mono">{device.serial}</Name> at <Name>{device.host_name}</Name>
            {device.sdk !== null && ` · Android API ${device.sdk}`}
          </p>
          {condition && <p className="text-[13px] text-muted tabular-nums">{conditionText(condition)}</p>}
        </div>
        <div className="order-last flex w-full flex-wrap gap-1.5 sm:order-none sm:w-auto sm:justify-end">
          {maintenance && <Badge tone="warn">maintenance</Badge>}
          {device.drained_at !== null && (
            <Badge tone="warn">{device.is_running ? 'draining' : 'drained'}</Badge>
          )}
          <Badge tone={deviceTones[device.state]}>{device.state}</Badge>
        </div>
        <DeviceActions device={device} />
      </div>
      {notes.length > 0 && (
        <div className="grid grid-cols-1 gap-1 break-words text-warn">
          {notes.map((note) => (
            <p key={note}>{sentence(note)}</p>
          ))}
        </div>
      )}
      {maintenance && (
        <p className="break-words">
          <Name>{maintenance.note}</Name>{' '}
          <span className="text-muted">
            · in maintenance since <Time at={maintenance.since} />
          </span>
        </p>
      )}
      {condition && condition.warnings.length > 0 && (
        <ul className="grid grid-cols-1 gap-1 break-words text-warn" aria-label="Warnings">
          {condition.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <details className="group min-w-0" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="w-fit cursor-pointer rounded text-[13px] text-muted hover:text-foreground">
          {checks.length === 0
            ? 'Details; not wiped yet'
            : failed === 0
              ? `Details; last wipe passed ${checks.length} checks`
              : `Details; last wipe failed ${failed} of ${checks.length} checks`}
        </summary>
        {isOpen && <DeviceDetails device={device} />}
      </details>
    </li>
  )
}
