/**
 * Traces that a tenant can leave outside apps and files: for each trace, the command that reads it, and a
 * pure function from the command's output to a list of findings. Used by `wipe.ts`. Output formats: AOSP 10
 * to 16.
 */
import { command, sequence, type ShellCommand } from '../../adb/quote.js'
import type { ShellResult } from '../../adb/shell-protocol.js'
import { logTag, wipeMark } from '../../phone/logs/mark.js'
import { esimProfiles, removableStorage, sims, systemImage } from './cards.js'
import type { WipeCheck } from './checks.js'

export interface Trace {
  name: string
  command: ShellCommand
  /** The findings; null when the output is not understood, which fails the wipe. */
  find: (output: string) => string[] | null
  /**
   * Whether a vendor's image may contain findings of this trace. Findings after the first verified wipe then do not
   * count as a tenant's.
   */
  vendorMayHave: boolean
}

const lines = (output: string): string[] =>
  output
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** `settings get` prints `null` for a setting that is not set. */
const settingList = (output: string): string[] =>
  lines(output)
    .flatMap((line) => line.split(':'))
    .filter((value) => value !== 'null' && value !== '')

const setting = (namespace: 'secure' | 'system' | 'global', key: string): ShellCommand =>
  command('settings', 'get', namespace, key)

/** Settings whose change the next tenant would notice, in a fixed order. */
const noticeable = [
  ['system', 'font_scale'],
  ['system', 'accelerometer_rotation'],
  ['system', 'user_rotation'],
  ['secure', 'ui_night_mode'],
  ['secure', 'location_mode'],
  ['secure', 'mock_location'],
  ['secure', 'display_density_forced'],
  ['secure', 'notification_listeners'],
  ['secure', 'autofill_service'],
  ['global', 'http_proxy'],
  ['global', 'private_dns_mode'],
  ['global', 'private_dns_specifier'],
  ['global', 'airplane_mode_on'],
] as const

export const traces: readonly Trace[] = [
  {
    name: 'users',
    command: command('pm', 'list', 'users'),
    find: (output) => {
      const found = [...output.matchAll(/UserInfo\{(\d+):/g)].map((match) => match[1] ?? '')
      return found.length === 0 ? null : found.filter((id) => id !== '0').map((id) => `user ${id}`)
    },
    vendorMayHave: true,
  },
  {
    name: 'lock_credential',
    command: command('locksettings', 'verify'),
    find: (output) => {
      if (/verified successfully/i.test(output)) return []
      return /didn't match|incorrect|failed/i.test(output) ? ['a credential'] : null
    },
    vendorMayHave: false,
  },
  {
    name: 'input_methods',
    command: sequence(setting('secure', 'enabled_input_methods'), setting('secure', 'default_input_method')),
    find: (output) => [...new Set(settingList(output))].sort(),
    vendorMayHave: true,
  },
  {
    name: 'accessibility_services',
    command: setting('secure', 'enabled_accessibility_services'),
    find: settingList,
    vendorMayHave: true,
  },
  {
    name: 'device_admins',
    command: command('dumpsys', 'device_policy'),
    find: (output) => {
      if (!/Device Policy Manager/i.test(output)) return null
      const admins = [...output.matchAll(/^[ \t]+([\w.]+\/[\w.$]+):[ \t\r]*$/gm)].map(
        (match) => match[1] ?? '',
      )
      const owners = [...output.matchAll(/^[ \t]*(Device Owner|Profile Owner)\b(?! Type)[^\n]*/gm)].map(
        (match) => match[0].trim(),
      )
      return [...admins, ...owners].sort()
    },
    vendorMayHave: true,
  },
  {
    name: 'vpn',
    command: sequence(setting('secure', 'always_on_vpn_app'), command('dumpsys', 'connectivity')),
    find: (output) => {
      const [always = '', ...rest] = output.split(/\r?\n/)
      const found = settingList(always)
      if (!/Network/i.test(rest.join('\n'))) return null
      if (/\bVPN CONNECTED\b|Transports: \S*VPN/.test(output)) found.push('a connected VPN')
      return found
    },
    vendorMayHave: false,
  },
  {
    name: 'ca_certificates',
    command: command('ls', '-A', '/data/misc/user/0/cacerts-added'),
    find: (output) => (/No such file/i.test(output) ? [] : /denied/i.test(output) ? null : lines(output)),
    vendorMayHave: false,
  },
  {
    name: 'wifi_networks',
    command: command('cmd', 'wifi', 'list-networks'),
    find: (output) => {
      if (/^No networks/m.test(output)) return []
      if (!/^Network Id/m.test(output)) return null
      return lines(output)
        .filter((line) => /^\d/.test(line))
        .map((line) => line.replace(/\s+/g, ' '))
    },
    vendorMayHave: false,
  },
  {
    name: 'settings',
    command: sequence(...noticeable.map(([namespace, key]) => setting(namespace, key))),
    find: (output) => {
      const values = output.replace(/\r?\n$/, '').split(/\r?\n/)
      if (values.length !== noticeable.length) return null
      return noticeable.map(([, key], at) => `${key}=${values[at]?.trim() ?? ''}`)
    },
    vendorMayHave: true,
  },
  {
    // The buffers are in memory, so the restart empties them: the mark that the agent wrote before the wipe must be gone.
    name: 'log_buffers',
    command: command('logcat', '-d', '-b', 'main', '-v', 'raw', '-s', logTag),
    find: (output) => {
      const read = lines(output)
      if (read.some((line) => line.startsWith('logcat: '))) return null
      return read.filter((line) => line.startsWith(wipeMark)).map(() => 'lines from before the wipe')
    },
    vendorMayHave: false,
  },
  {
    // Reports of apps that are not installed, since a wipe does not remove apps of the image.
    name: 'crash_reports',
    command: sequence(command('cmd', 'package', 'list', 'packages'), command('dumpsys', 'dropbox')),
    find: (output) => {
      const names = new Set([...output.matchAll(/^package:([A-Za-z0-9_.]+)\s*$/gm)].map(([, name]) => name))
      if (names.size === 0 || !/^Drop box contents:/m.test(output)) return null
      const text = output.replaceAll('\r\n', '\n')
      const reported = [...text.matchAll(/^\d\S+ \d\S+ data_app_\w+ .*\n {4}Process: ([A-Za-z0-9_.]+)/gm)]
      const all = [...text.matchAll(/^\d\S+ \d\S+ data_app_\w+ \((?!contents lost).*$/gm)]
      if (reported.length < all.length) return null
      return reported.map(([, name = '']) => name).filter((name) => !names.has(name))
    },
    vendorMayHave: false,
  },
  removableStorage,
  sims,
  esimProfiles,
  systemImage,
]

/** Commands whose non-zero exit codes `find` understands. */
const mayFail = new Set(['ca_certificates', 'lock_credential'])

/**
 * @param known findings after the first verified wipe; null when this is the first wipe
 * @returns the check, and the findings, for the baseline
 */
export function checkTrace(
  trace: Trace,
  result: ShellResult,
  known: readonly string[] | null,
): { check: WipeCheck; found: string[] } {
  const { name } = trace
  const output = `${result.stdout.toString('utf8')}${result.stderr.toString('utf8')}`
  const found = result.exitCode !== 0 && !mayFail.has(name) ? null : trace.find(output)
  if (found === null) {
    const evidence = `could not be read: exit code ${result.exitCode}, ${output.trim()}`.slice(0, 500)
    return { check: { name, passed: false, evidence }, found: [] }
  }
  const first = known === null && trace.vendorMayHave
  const extra = first ? [] : found.filter((each) => !(trace.vendorMayHave && known?.includes(each)))
  const clean = first && found.length > 0 ? `kept as this phone's default: ${found.join(', ')}` : 'as new'
  const evidence = extra.length === 0 ? clean : extra.join(', ')
  return { check: { name, passed: extra.length === 0, evidence: evidence.slice(0, 500) }, found }
}
