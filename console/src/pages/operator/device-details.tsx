/** A device's condition, the evidence of its last wipe, and its history. */
import { Check, X } from 'lucide-react'
import { type ReactNode } from 'react'
import { type Condition, type Device, type WipeCheck } from '../../api/types'
import { Time } from '../../ui/time'
import { ChangesOf } from './changes-of'
import { Facts } from './listed'
import { bytesText } from '../../ui/bytes'

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

const failedFirst = (a: WipeCheck, b: WipeCheck): number => Number(a.passed) - Number(b.passed)

export function DeviceDetails({ device }: { device: Device }) {
  const { condition, wipe_checks: checks, events } = device
  return (
    <div className="grid grid-cols-1 gap-5 pt-3 pb-1">
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
        <section className="grid grid-cols-1 gap-2" aria-label="Evidence of the last wipe">
          <h2 className="text-[13px] font-medium">Evidence of the last wipe</h2>
          <ul className="grid grid-cols-1 gap-1.5 text-[13px]">
            {[...checks].sort(failedFirst).map(({ name, passed, evidence }) => (
              <li key={name} className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2">
                {passed ? (
                  <Check className="mt-0.5 size-4 text-good" role="img" aria-label="passed" />
                ) : (
                  <X className="mt-0.5 size-4 text-danger" role="img" aria-label="failed" />
                )}
                <span className="break-words">
                  <span className="font-medium">{name.replaceAll('_', ' ')}</span>{' '}
                  <bdi className="text-muted">{evidence}</bdi>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {events.length > 0 && (
        <section className="grid grid-cols-1 gap-2" aria-label="Recovery steps">
          <h2 className="text-[13px] font-medium">Recovery steps</h2>
          <ul className="grid grid-cols-1 gap-1 text-[13px]">
            {[...events].reverse().map(({ at, step, outcome, reason }, index) => (
              <li key={index} className="break-words">
                <Time at={at} />: {step.replaceAll('_', ' ')}, {outcome}.{' '}
                <bdi className="text-muted">{reason}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      <ChangesOf id={device.id} />
    </div>
  )
}
