/** Texts and colours of the states of hosts and devices. */
import { type Condition, type DeviceState, type HostState, type Port } from '../../api/types'
import { type Tone } from '../../ui/badge'
import { bytesText } from '../../ui/bytes'

export const hostTones: Readonly<Record<HostState, Tone>> = {
  online: 'good',
  degraded: 'warn',
  refusing: 'warn',
  stopping: 'warn',
  late: 'warn',
  lost: 'danger',
  retired: 'quiet',
}

export const deviceTones: Readonly<Record<DeviceState, Tone>> = {
  unenrolled: 'quiet',
  unauthorized: 'warn',
  provisioning: 'busy',
  free: 'good',
  assigned: 'good',
  wiping: 'busy',
  quarantined: 'danger',
  offline: 'warn',
}

const urgent: readonly DeviceState[] = ['quarantined', 'offline', 'unauthorized', 'unenrolled']

/** Sorts devices that need an operator first. The others keep their order. */
export const urgentFirst = (a: { state: DeviceState }, b: { state: DeviceState }): number => {
  const rank = ({ state }: { state: DeviceState }): number =>
    urgent.includes(state) ? urgent.indexOf(state) : urgent.length
  return rank(a) - rank(b)
}

/** Whole days until `at`; negative: `at` has passed. */
export const daysUntil = (at: string, now: Date): number =>
  Math.floor((Date.parse(at) - now.getTime()) / 86_400_000)

export const modelOf = ({ maker, model }: Pick<Port, 'maker' | 'model'>): string =>
  [maker, model].filter((part) => part !== null && part !== '').join(' ') || 'unknown model'

/** Battery, temperature and free storage. The list omits values that the host does not report. */
export const conditionText = (condition: Condition): string =>
  [
    condition.battery_percent === null ? null : `Battery ${condition.battery_percent} %`,
    condition.battery_celsius === null ? null : `${condition.battery_celsius} °C`,
    condition.storage_free_bytes === null ? null : `${bytesText(condition.storage_free_bytes)} free`,
  ]
    .filter((part) => part !== null)
    .join(' · ') || 'Condition not reported'

/** @param ms milliseconds by which a clock is ahead */
export const clockText = (ms: number | null): string =>
  ms === null
    ? 'not known'
    : Math.abs(ms) < 100
      ? 'within 0.1 s'
      : `${Math.abs(ms / 1000).toFixed(1)} s ${ms < 0 ? 'behind' : 'ahead'}`

/** The times that running phones may continue after a drain, in seconds. */
export const drainDeadlines = [
  [0, 'End immediately'],
  [1800, 'Continue up to 30 minutes'],
  [3600, 'Continue up to 1 hour'],
  [28_800, 'Continue up to 8 hours'],
  [86_400, 'Continue up to 1 day'],
] as const
