/** What an operator should look at, from the lists of hosts and devices. */
import { type Device, type Host } from '../../api/operators'
import { clockText, daysUntil } from './texts'

export interface Alarm {
  id: string
  /** A host's name or a device's serial, which its text begins with. */
  name: string
  text: string
  page: '/operator/hosts' | '/operator/devices'
}

/** Days before its end in which a certificate should have been renewed already. */
export const certificateWarnDays = 30

/** Milliseconds: calls with deadlines suffer from more. */
const clockWarnMs = 5000

function ofHost(host: Host, now: Date): Alarm[] {
  const alarm = (kind: string, text: string): Alarm => ({
    id: `${host.id} ${kind}`,
    name: host.name,
    text,
    page: '/operator/hosts',
  })
  const days = daysUntil(host.certificate_expires_at, now)
  const isSkewed = host.clock_ahead_ms !== null && Math.abs(host.clock_ahead_ms) > clockWarnMs
  return [
    ...(host.state === 'online' ? [] : [alarm('state', `is ${host.state}.`)]),
    ...(days >= certificateWarnDays
      ? []
      : [alarm('certificate', days < 0 ? 'has an expired certificate.' : `has a certificate for ${days} days.`)]),
    ...(host.state === 'online' && isSkewed
      ? [alarm('clock', `has a clock that is ${clockText(host.clock_ahead_ms)}.`)]
      : []),
  ]
}

function ofDevice(device: Device): Alarm[] {
  const alarm = (kind: string, text: string): Alarm => ({
    id: `${device.id} ${kind}`,
    name: device.serial,
    text,
    page: '/operator/devices',
  })
  const warnings = device.condition?.warnings ?? []
  return [
    ...(device.state === 'quarantined' ? [alarm('state', 'is quarantined.')] : []),
    ...warnings.map((warning, at) => alarm(`warning ${at}`, `: ${warning}`)),
  ]
}

export const alarmsOf = (hosts: readonly Host[], devices: readonly Device[], now: Date): Alarm[] => [
  ...hosts.flatMap((host) => ofHost(host, now)),
  ...devices.flatMap(ofDevice),
]
