/** Findings about the configuration, the identity, the disk and the network of this host. Pure. */
import { shellWord } from '@phonerack/shared'
import { splitHostPort } from '../../base/host-port.js'
import { error, ok, unknown, warning } from './finding.js'
import type { Finding, HostReadings, ListeningPort, Readings, WayBack, WayToAgent } from './readings.js'

const day = 86_400_000
/** The first warning about a certificate that ends, in milliseconds. */
const renewalMs = 14 * day
/** Differences of clocks in milliseconds. The Date header has whole seconds. */
const skew = { warning: 5000, error: 300_000 }

export function hostFindings({ now, configuration, host }: Readings): Finding[] {
  if (host === null)
    return [
      error(
        'configuration',
        configuration ?? 'there is no configuration',
        'The agent does not start.',
        'phonerack-agent join, or correct the configuration',
      ),
    ]
  return [
    ok('configuration', 'the configuration is valid'),
    ...identityFindings(host.identity, now),
    ...serverFindings(host.server),
    ...brokerFindings(host.broker),
    ...wayFindings(host.way),
    ...diskFindings(host.disks),
  ]
}

function identityFindings(identity: HostReadings['identity'], now: Date): Finding[] {
  const join = 'create a token with `ctl host token`, then: phonerack-agent join'
  const rejoin = 'create a token with `ctl host rejoin`, move identity.json away, then: phonerack-agent join'
  if ('failed' in identity)
    return [
      error(
        'identity',
        `the identity of this host cannot be read: ${identity.failed}`,
        'The agent does not start.',
        `run doctor as the user of the agent; if the file is damaged: ${rejoin}`,
      ),
    ]
  if (identity.value === null)
    return [
      error(
        'identity',
        'this machine has not joined a control plane',
        'This machine has no certificate.',
        join,
      ),
    ]
  const { hostId, endsAt, mode, dirMode } = identity.value
  const findings: Finding[] = []
  if (((mode | dirMode) & 0o077) !== 0)
    findings.push(
      error(
        'state_rights',
        'other users of this machine can open the state folder or identity.json',
        "They could read the host's private key and act as this host.",
        'chmod 700 the state folder and chmod 600 the files in it',
      ),
    )
  const days = Math.floor((endsAt.getTime() - now.getTime()) / day)
  const date = endsAt.toISOString().slice(0, 10)
  if (endsAt <= now)
    findings.push(
      error(
        'certificate',
        `the certificate of ${hostId} expired on ${date}`,
        'The control plane refuses this host.',
        rejoin,
      ),
    )
  else if (endsAt.getTime() - now.getTime() < renewalMs)
    findings.push(
      warning(
        'certificate',
        `the certificate of ${hostId} expires on ${date}, in ${days} days`,
        'After that, the control plane refuses this host.',
        rejoin,
      ),
    )
  else findings.push(ok('certificate', `the certificate of ${hostId} is valid until ${date}`))
  return findings
}

function serverFindings(server: HostReadings['server']): Finding[] {
  if ('failed' in server)
    return [
      error(
        'server',
        `the control plane cannot be reached: ${server.failed}`,
        'This machine cannot join, and its clock cannot be compared.',
        'correct control_url (for a private authority: ca_file) in the configuration, or the network',
      ),
      unknown(
        'clock',
        'the clock was not compared',
        'Certificates depend on the clock.',
        'timedatectl status',
      ),
    ]
  const { url, status, aheadMs } = server.value
  const reached =
    status === 200
      ? ok('server', `the control plane answers at ${url}`)
      : error(
          'server',
          `${url} answers with status ${status}`,
          'Another program answers there, or the control plane is not ready.',
          'correct control_url in the configuration, or check the control plane',
        )
  return [reached, clockFinding(aheadMs)]
}

function clockFinding(aheadMs: number | null): Finding {
  if (aheadMs === null)
    return unknown(
      'clock',
      'the answer of the control plane has no date',
      'Certificates depend on the clock.',
      'timedatectl status',
    )
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const about = `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the control plane's`
  const fix = 'sudo timedatectl set-ntp true'
  if (Math.abs(aheadMs) >= skew.error)
    return error(
      'clock',
      about,
      'Certificates count as expired or not yet valid, and times in logs do not match.',
      fix,
    )
  if (Math.abs(aheadMs) >= skew.warning) return warning('clock', about, 'Times in logs do not match.', fix)
  return ok('clock', "the clock agrees with the control plane's")
}

function brokerFindings(broker: HostReadings['broker']): Finding[] {
  if (broker === null)
    return [
      unknown(
        'nats',
        'NATS was not tried, since this host has no rights yet',
        'Heartbeats go over NATS.',
        'phonerack-agent join',
      ),
    ]
  if ('value' in broker) return [ok('nats', 'NATS accepts this host')]
  return [
    error(
      'nats',
      `NATS cannot be used: ${broker.failed}`,
      'Without heartbeats, the host is lost after 30 s and its phones become unavailable.',
      'correct nats_url (for a private authority: ca_file) in the configuration, or the network',
    ),
  ]
}

function wayFindings(way: WayToAgent): Finding[] {
  if (way.kind === 'listen') return [portFinding(way.port), backFinding(way.address, way.back)]
  return tunnelFindings(way.tunnels)
}

function tunnelFindings(tunnels: Extract<WayToAgent, { kind: 'dial' }>['tunnels']): Finding[] {
  const effect = 'The control plane reaches this host only through a tunnel.'
  if (tunnels === null)
    return [
      unknown(
        'tunnel',
        'the agent does not run, so it has no tunnels',
        effect,
        'start the agent, then run doctor again',
      ),
    ]
  if ('failed' in tunnels)
    return [
      unknown(
        'tunnel',
        `the tunnels were not read: ${tunnels.failed}`,
        effect,
        'run doctor as the user of the agent',
      ),
    ]
  if (tunnels.value.length === 0)
    return [
      error(
        'tunnel',
        'no replica of the control plane has offered a tunnel',
        effect,
        'set PHONERACK_TUNNEL_LISTEN on each replica; replicas offer tunnels over NATS, which must work first',
      ),
    ]
  return tunnels.value.map(({ replica, address, isOpen, fault }) =>
    isOpen
      ? ok('tunnel', `a tunnel to ${replica} at ${address} is open`)
      : error(
          'tunnel',
          `there is no tunnel to ${replica} at ${address}: ${fault ?? 'the agent is opening the tunnel'}`,
          'Requests that arrive at this replica do not reach the phones.',
          `allow outgoing connections to ${address}; if the address can be reached, read the log of the replica`,
        ),
  )
}

function portFinding({ listen, state, why }: ListeningPort): Finding {
  const port = listen.slice(listen.lastIndexOf(':') + 1)
  if (state === 'free') return ok('port', `${listen} is free for the agent`)
  if (state === 'agent') return ok('port', `the agent is running and uses ${listen}`)
  const effect = 'The agent does not start.'
  if (state === 'foreign')
    return error(
      'port',
      `${listen} is not an address of this machine`,
      effect,
      'correct grpc_listen in the configuration; ip address shows the addresses',
    )
  if (state === 'taken')
    return error(
      'port',
      `another program uses ${listen}`,
      effect,
      `sudo ss -ltnp 'sport = :${port}' shows the program; end the program, or change grpc_listen`,
    )
  return error(
    'port',
    `the agent cannot listen on ${listen}: ${why}`,
    effect,
    'correct grpc_listen in the configuration',
  )
}

function backFinding(address: string, back: WayBack): Finding {
  const id = 'control_plane_to_agent'
  const why = 'The control plane sends all work for phones over this connection.'
  const look = `on the control plane: ${lookAt(address)}`
  if (back === null)
    return unknown(
      id,
      `connections of the control plane to ${address} were not checked: the agent does not run, or this host has not joined`,
      why,
      'start the agent, then run doctor again',
    )
  if ('failed' in back)
    return unknown(
      id,
      `the control plane did not check its connection to ${address}: ${back.failed}`,
      why,
      look,
    )
  const { address: known, isConnected } = back.value
  if (known === null)
    return error(
      id,
      'the control plane has no address of this host: no heartbeat has arrived',
      why,
      'correct what is wrong with NATS and the clock above, then restart the agent',
    )
  if (isConnected) return ok(id, `the control plane connects to the agent at ${known}`)
  return error(
    id,
    `the control plane cannot connect to the agent at ${known}`,
    why,
    `on the control plane: ${lookAt(known)}; if that fails, open the port in the firewalls or correct grpc_address; for a host behind NAT, remove grpc_listen, so that the agent opens tunnels`,
  )
}

function lookAt(address: string): string {
  const { host, port } = splitHostPort(address)
  return `nc -vz ${shellWord(host)} ${port}`
}

function diskFindings(disks: HostReadings['disks']): Finding[] {
  const size = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
  return disks.map(({ name, path, free, needed }) => {
    const look = `df -h ${shellWord(path)}`
    if ('failed' in free)
      return unknown(
        'disk',
        `the free space of ${path} could not be read: ${free.failed}`,
        'A full disk stops the agent.',
        look,
      )
    if (free.value >= needed) return ok('disk', `${name}: ${size(free.value)} free in ${path}`)
    return error(
      'disk',
      `${name}: ${size(free.value)} free in ${path}, less than ${size(needed)}`,
      'Records and recordings cannot be written.',
      `${look}; delete other files, or use a larger disk`,
    )
  })
}
