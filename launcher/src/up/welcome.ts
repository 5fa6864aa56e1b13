/** The text with which `up` ends. Every line in it can be pasted. */
import type { Device } from '../operator/client.js'
import { plain } from '@phonerack/shared'

export interface Welcome {
  baseUrl: string
  adminKey: string
  dir: string
  /** True when `dir` is the default one, which needs no `--data`. */
  isDefaultDir: boolean
  detached: boolean
  phones: number
  unenrolled: readonly Device[]
  quarantined: readonly Device[]
  /** Another adb server runs, which may hold USB phones. */
  otherAdb: boolean
}

export function welcomeText(w: Welcome): string {
  const data = w.isDefaultDir ? '' : ` --data ${shellWord(w.dir)}`
  const auth = `-H "Authorization: Bearer ${w.adminKey}"`
  const json = `-H 'Content-Type: application/json'`
  const lines = [
    '',
    `Phonerack is ready at ${w.baseUrl}`,
    '',
    `  key (admin)   ${w.adminKey}`,
    `  all keys      ${w.dir}/up.json`,
    '',
    'Rent a phone, read its screen, tap on it:',
    '',
    `  PHONE=$(curl -sS -X POST ${w.baseUrl}/v1/phones ${auth} ${json} -d '{"name":"my first phone"}' | grep -o 'ph_[a-z2-7]*' | head -n 1); echo $PHONE`,
    '',
    `  curl -sS "${w.baseUrl}/v1/phones/$PHONE/observe?format=text" ${auth}`,
    '',
    `  curl -sS -X POST ${w.baseUrl}/v1/phones/$PHONE/actions ${auth} ${json} -d '{"actions":[{"type":"tap","target":{"text":"Settings"}}]}'`,
    '',
    w.detached ? `Stop it with  ./scripts/down${data}` : 'Stop it with Ctrl-C.',
  ]
  if (w.phones === 0) lines.push('', 'There is no virtual phone; see ./scripts/up --help.')
  for (const device of w.quarantined) {
    lines.push(
      '',
      `Phone ${plain(device.serial)} is quarantined: ${plain(device.reason ?? 'no reason given')}`,
    )
    lines.push(`  try again with  ./scripts/ctl device release ${shellWord(plain(device.serial))}${data}`)
  }
  if (w.unenrolled.length > 0) {
    lines.push('', 'Phones that are plugged in and not enrolled; nothing was written to them.')
    lines.push('Enrolling one ERASES ALL DATA on it:', '')
    for (const device of w.unenrolled) {
      const name = plain([device.maker, device.model].filter(Boolean).join(' ') || 'unknown model')
      lines.push(
        `  ./scripts/ctl device enroll ${shellWord(plain(device.serial))} --erase${data}    # ${name}`,
      )
    }
  }
  if (w.otherAdb) {
    lines.push(
      '',
      'Another adb server runs on this machine (port 5037). It keeps USB phones to itself: if yours',
      'is not listed, end that server with `adb kill-server` and it appears here.',
    )
  }
  return lines.join('\n') + '\n'
}

/** Quoted for a POSIX shell when it needs to be. */
const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
