/** One device: why it is in its state, its condition, and the evidence of its last wipe. */
import { type ReactNode } from 'react'
import { type Condition, type Device } from '../../api/operators'
import { Badge } from '../../ui/badge'
import { Time } from '../../ui/time'
import { DeviceActions } from './device-actions'
import { Facts } from './listed'
import { bytesText } from '../../ui/bytes'
import { deviceTones, modelOf } from './texts'

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const orUnknown = (value: number | null, text: (known: number) => string): string =>
  value === null ? 'not reported' : text(value)

const conditionFacts = (condition: Condition): (readonly [string, ReactNode])[] => [
  ['Battery', orUnknown(condition.battery_percent, (percent) => `${percent} %`)],
  ['Temperature', orUnknown(condition.battery_celsius, (celsius) => `${celsius} °C`)],
  [
    'Free storage',
    orUnknown(condition.storage_free_bytes, bytesText) +
      (condition.storage_total_bytes === null ? '' : ` of ${bytesText(condition.storage_total_bytes)}`),
  ],
  ['Checked', <Time key="checked" at={condition.checked_at} />],
]

export function DeviceRow({ device }: { device: Device }) {
  const { condition, maintenance, wipe_checks: checks, events } = device
  const failed = checks.filter(({ passed }) => !passed).length
  const notes = [device.reason, device.next_step?.first ?? null, device.report_fault].filter(
    (note): note is string => note !== null,
  )
  return (
    <li aria-label={device.serial} className="grid min-w-0 gap-3 px-4 py-3 sm:px-5">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium">
            <bdi>{modelOf(device)}</bdi>
          </p>
          <p className="truncate text-[13px] text-muted">
            <bdi className="font-mono">{device.serial}</bdi> at <bdi>{device.host_name}</bdi>
            {device.sdk !== null && ` · Android API ${device.sdk}`}
          </p>
        </div>
        <div className="flex flex-wrap justify-end gap-1.5">
          {maintenance && <Badge tone="warn">maintenance</Badge>}
          {device.drained_at !== null && <Badge tone="warn">drained</Badge>}
          <Badge tone={deviceTones[device.state]}>{device.state}</Badge>
        </div>
        <DeviceActions device={device} />
      </div>
      {notes.length > 0 && (
        <div className="grid gap-1 break-words text-warn">
          {notes.map((note) => (
            <p key={note}>{sentence(note)}</p>
          ))}
        </div>
      )}
      {maintenance && (
        <p className="break-words">
          <bdi>{maintenance.note}</bdi>{' '}
          <span className="text-muted">
            · in maintenance since <Time at={maintenance.since} />
          </span>
        </p>
      )}
      {condition && condition.warnings.length > 0 && (
        <ul className="grid gap-1 break-words text-warn" aria-label="Warnings">
          {condition.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <details className="group min-w-0">
        <summary className="w-fit cursor-pointer rounded text-[13px] text-muted hover:text-foreground">
          {checks.length === 0
            ? 'Details; not wiped yet'
            : failed === 0
              ? `Details; last wipe passed ${checks.length} checks`
              : `Details; last wipe failed ${failed} of ${checks.length} checks`}
        </summary>
        <div className="grid gap-4 pt-3">
          <Facts
            facts={[
              ...(condition ? conditionFacts(condition) : [['Condition', 'not checked yet'] as const]),
              ['Connection', device.link],
              [
                'Last answer',
                device.last_proof_at === null ? 'none' : <Time key="proof" at={device.last_proof_at} />,
              ],
              ['Phone', device.phone_id ?? 'none'],
              ['Device ID', device.id],
            ]}
          />
          {checks.length > 0 && (
            <section className="grid min-w-0 gap-2" aria-label="Evidence of the last wipe">
              <h2 className="font-medium">Evidence of the last wipe</h2>
              <ul className="grid gap-1.5">
                {checks.map(({ name, passed, evidence }) => (
                  <li key={name} className="grid gap-x-3 gap-y-0.5 sm:grid-cols-[6rem_minmax(0,1fr)]">
                    <span>
                      <Badge tone={passed ? 'good' : 'danger'}>{passed ? 'passed' : 'failed'}</Badge>
                    </span>
                    <span className="min-w-0 text-[13px] break-words">
                      <span className="font-medium">{name.replaceAll('_', ' ')}</span>{' '}
                      <bdi className="text-muted">{evidence}</bdi>
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {events.length > 0 && (
            <section className="grid min-w-0 gap-2" aria-label="Recovery steps">
              <h2 className="font-medium">Recovery steps</h2>
              <ul className="grid gap-1 text-[13px]">
                {[...events].reverse().map(({ at, step, outcome, reason }, index) => (
                  <li key={index} className="break-words">
                    <Time at={at} />: {step.replaceAll('_', ' ')}, {outcome}.{' '}
                    <bdi className="text-muted">{reason}</bdi>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </div>
      </details>
    </li>
  )
}
