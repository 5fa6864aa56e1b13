/** The final text of `up`. Every command in it can be pasted. */
import type { Device } from '@phonerack/ctl/operator'
import { plain, shellWord } from '@phonerack/shared'

interface Place {
  dir: string
  /** True when `dir` is the default directory, which needs no `--data`. */
  isDefaultDir: boolean
}

interface PhoneNotes extends Place {
  unenrolled: readonly Device[]
  quarantined: readonly Device[]
  /** Another adb server runs and may hold USB phones. */
  otherAdb: boolean
}

interface MetricsNotes {
  /** Addresses for Prometheus. */
  metrics: readonly string[]
}

export interface Welcome extends PhoneNotes, MetricsNotes {
  baseUrl: string
  adminKey: string
  consoleUrl: string
  /** A one-time link for the first operator; null: an operator exists already. */
  signInUrl: string | null
  detached: boolean
  /** The started virtual phones. */
  phones: number
}

export function welcomeText(w: Welcome): string {
  const lines = [
    '',
    `Phonerack is ready at ${w.baseUrl}`,
    '',
    `  key (admin)   ${w.adminKey}`,
    `  all keys      ${w.dir}/up.json`,
    `  documents     ${w.baseUrl}/docs`,
    `  console       ${w.consoleUrl}`,
    ...(w.signInUrl === null ? [] : [`  first sign-in ${w.signInUrl}`]),
    ...metricsLines(w),
    '',
    ...(w.phones > 0
      ? firstRequests(w)
      : ['No phones were started here. To add a host, see docs/operations.md.']),
    '',
    stopHint(w),
    ...phoneNotes(w),
  ]
  return lines.join('\n') + '\n'
}

/** For Prometheus: see docs/operations.md, Monitoring. */
export const metricsLines = (w: MetricsNotes): string[] => w.metrics.map((url) => `  metrics       ${url}`)

function firstRequests(w: Welcome): string[] {
  const auth = `-H "Authorization: Bearer ${w.adminKey}"`
  const json = `-H 'Content-Type: application/json'`
  return [
    'Rent a phone, read its screen, tap on it:',
    '',
    `  PHONE=$(curl -sS -X POST ${w.baseUrl}/v1/phones ${auth} ${json} -d '{"name":"my first phone"}' | grep -o 'ph_[a-z2-7]*' | head -n 1); echo $PHONE`,
    '',
    `  curl -sS "${w.baseUrl}/v1/phones/$PHONE/observe?format=text" ${auth}`,
    '',
    `  curl -sS -X POST ${w.baseUrl}/v1/phones/$PHONE/actions ${auth} ${json} -d '{"actions":[{"type":"tap","target":{"text":"Settings"}}]}'`,
  ]
}

const dataFlag = (w: Place): string => (w.isDefaultDir ? '' : ` --data ${shellWord(w.dir)}`)

export const stopHint = (w: Place & { detached: boolean }): string =>
  w.detached ? `Stop it with  ./scripts/down${dataFlag(w)}` : 'Stop it with Ctrl-C.'

/** Notes for the operator about the phones here; begins with an empty line unless empty. */
export function phoneNotes(w: PhoneNotes): string[] {
  const data = dataFlag(w)
  const lines: string[] = []
  for (const device of w.quarantined) {
    lines.push(
      '',
      `Phone ${plain(device.serial)} is quarantined: ${plain(device.reason ?? 'no reason given')}`,
    )
    lines.push(...nextSteps(device.next_step, data))
  }
  if (w.unenrolled.length > 0) {
    lines.push('', 'These phones are connected and not enrolled. Nothing was written to them.')
    lines.push('Enrolling a phone ERASES ALL DATA on it:', '')
    for (const device of w.unenrolled) {
      const name = plain([device.maker, device.model].filter(Boolean).join(' ') || 'unknown model')
      lines.push(
        `  ./scripts/ctl device enroll ${shellWord(plain(device.id))} --erase${data}    # ${shellWord(`${name}, ${plain(device.serial)}`)}`,
      )
    }
  }
  if (w.otherAdb) {
    lines.push(
      '',
      'Another adb server is running on this machine (port 5037) and holds the USB phones. If your phone',
      'is not listed, stop that server with `adb kill-server`.',
    )
  }
  return lines
}

function nextSteps(step: Device['next_step'], data: string): string[] {
  if (!step) return []
  const commands = step.commands.map(({ does, words }) => {
    const typed = words.map((word) => shellWord(plain(word))).join(' ')
    return `  ./scripts/ctl ${typed}${data}    # ${plain(does)}`
  })
  return [...(step.first === null ? [] : [`  ${plain(step.first)}`]), ...commands]
}
