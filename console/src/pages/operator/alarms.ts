/** Alarms for operators, from the lists of hosts and devices, and the state of the service. */
import { type Device, type Host, type System } from '../../api/types'
import { clockText, daysUntil } from './texts'

export interface Alarm {
  id: string
  /** A host's name, a device's serial or a part of the service. The alarm's text begins with it. */
  name: string
  text: string
  page: '/operator/hosts' | '/operator/devices' | '/operator/system'
}

/** A certificate that expires within this number of days should have been renewed already. */
export const certificateWarnDays = 30

/** Milliseconds of clock difference above which calls with deadlines may fail. */
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
      : [
          alarm(
            'certificate',
            days < 0
              ? 'has an expired certificate.'
              : `has a certificate that ends in ${days} ${days === 1 ? 'day' : 'days'}.`,
          ),
        ]),
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

/** The share of Postgres' connections above which Postgres may soon refuse new connections. */
const connectionsWarn = 0.9

function ofService({ service, nats, postgres, clock_ahead_ms: aheadMs }: System): Alarm[] {
  const alarm = (name: string, text: string): Alarm => ({ id: name, name, text, page: '/operator/system' })
  const { connections, max_connections: most } = postgres
  return [
    ...(service.paused_at === null ? [] : [alarm('The service', 'is paused.')]),
    ...(nats.is_connected ? [] : [alarm('NATS', 'is not connected.')]),
    ...(connections < most * connectionsWarn
      ? []
      : [alarm('Postgres', `has ${connections} of ${most} connections.`)]),
    ...(aheadMs === null || Math.abs(aheadMs) <= clockWarnMs
      ? []
      : [alarm('The control plane', `has a clock that is ${clockText(aheadMs)}.`)]),
  ]
}

export const alarmsOf = (
  hosts: readonly Host[],
  devices: readonly Device[],
  system: System | null,
  now: Date,
): Alarm[] => [
  ...(system ? ofService(system) : []),
  ...hosts.flatMap((host) => ofHost(host, now)),
  ...devices.flatMap(ofDevice),
]
