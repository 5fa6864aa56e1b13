/** The text of one phone for `ctl device show`. */
import { plain, shellWord } from '@phonerack/shared'
import type { Device } from '../operator/client.js'
import { fields, table } from '../table.js'
import { serviceOf } from './drain.js'

export const modelOf = (device: Device): string | null =>
  [device.maker, device.model].filter(Boolean).join(' ') || null

/** Everything known about one phone, for people. */
export function describeDevice(device: Device): string {
  const head = fields([
    ['ID', device.id],
    ['Serial', device.serial],
    ['Maker', device.maker],
    ['Model', device.model],
    ['Android SDK', device.sdk],
    ['Host', `${device.host_name} (${device.host_id}, ${device.host_state})`],
    ['State', device.state],
    ['Reason', device.reason],
    ['Next', device.next_step?.first ?? null],
    ...nextCommands(device),
    ['Moving since', device.moving_since],
    ['Identity', device.has_identity ? 'known' : 'none until its next wipe'],
    ['Service', serviceOf(device)],
    ['Report', device.report_fault],
    ['Link', device.link],
    ['Rented as', device.phone_id],
    ['Fencing number', device.fencing_number],
    ['Clean for', device.clean_for],
    ['Last response', device.last_proof_at],
  ])
  const capabilities = table(
    device.capabilities,
    [
      { title: 'CAPABILITY', value: (each) => each.name },
      { title: 'BY', value: (each) => each.implementation },
      { title: 'EVIDENCE', value: (each) => each.evidence },
    ],
    'No capability has been probed yet.',
  )
  const checks = table(
    device.wipe_checks,
    [
      { title: 'WIPE CHECK', value: (each) => each.name },
      { title: 'PASSED', value: (each) => (each.passed ? 'yes' : 'NO') },
      { title: 'EVIDENCE', value: (each) => each.evidence },
    ],
    'Not wiped by Phonerack yet.',
  )
  const events = table(
    device.events,
    [
      { title: 'WHEN', value: (each) => each.at },
      { title: 'STEP', value: (each) => each.step.replaceAll('_', ' ') },
      { title: 'OUTCOME', value: (each) => each.outcome },
      { title: 'WHY', value: (each) => each.reason },
    ],
    'No recovery steps.',
  )
  return [head, describeCondition(device.condition), capabilities, checks, events].join('\n\n')
}

const nextCommands = ({ next_step: step }: Device): [string, string][] =>
  (step?.commands ?? []).map(({ does, words }) => {
    const typed = words.map((word) => shellWord(plain(word))).join(' ')
    return ['Then', `./scripts/ctl ${typed} (${does})`]
  })

function describeCondition(condition: Device['condition']): string {
  if (!condition) return 'Condition not checked yet.'
  const { battery_celsius: celsius, storage_free_bytes: free, storage_total_bytes: total } = condition
  const percent = condition.battery_percent
  const lock = condition.lock_credential
  const facts = fields([
    ['Checked at', condition.checked_at],
    ['Battery', percent === null ? null : `${percent} %`],
    ['Battery temperature', celsius === null ? null : `${celsius.toFixed(1)} °C`],
    [
      'Storage free',
      free === null ? null : `${gigabytes(free)}${total === null ? '' : ` of ${gigabytes(total)}`}`,
    ],
    ['Highest app UID', condition.highest_app_uid],
    ['Lock credential', lock === null ? 'the phone does not report it' : lock ? 'SET' : 'none'],
  ])
  const warnings = condition.warnings.map((warning) => `WARNING  ${plain(warning)}`)
  return [facts, ...(warnings.length > 0 ? warnings : ['No warnings.'])].join('\n')
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
