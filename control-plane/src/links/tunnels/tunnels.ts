/**
 * The tunnels of this replica: one for each host whose agent has no open port. Agents open the tunnels. This replica
 * offers its address to each agent whose heartbeat it receives and that has no tunnel. Created by `app.ts`.
 * docs/decisions/0227
 */
import { type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { subjects, type AgentOnBus, type Announce, type Bus, type Logger } from '@phonerack/shared'
import { type Listen } from '@phonerack/shared/metrics'
import { relay, type PingTimes } from '@phonerack/shared/tunnel'
import { type Database } from '../../base/db/database.js'
import { type Host } from '../../gen/prisma/client.js'
import { type HostTunnels } from '../host-calls/clients.js'
import { OwnCertificate } from '../host-calls/own-certificate.js'
import { type Authorities } from '../../base/pki/authorities.js'
import { type Credentials } from '../../base/pki/authority.js'
import { type GateLimits } from './gate.js'
import { listenForTunnels, type Arrival } from './listener.js'
import { HostSockets, WaitingSockets } from './sockets.js'
import { removeStaleFolders } from './stale-folders.js'
import { startTunnel, type Tunnel } from './tunnel.js'

export interface TunnelsOptions {
  listen: Listen
  /** `host:port` at which agents reach this replica; null: the address of the listener. */
  address: string | null
  replicaId: string
  /** The first credentials of the listener. */
  credentials: Credentials
  db: Pick<Database, 'host'>
  bus: Bus
  log: Logger
  /** Whether this replica knows that the host is retired. */
  isRetired(hostId: string): boolean
  /** Replaced in tests. */
  times?: { pings?: PingTimes; waitMs?: number; handshakeMs?: number }
  limits?: GateLimits
}

/** Milliseconds that a connection of grpc-js waits for a tunnel, which agents need time to open after a start. */
const defaultWaitMs = 5000

export interface Tunnels extends HostTunnels {
  /** `host:port`, the address that agents are offered. */
  readonly address: string
  /** IDs of the hosts with a tunnel. */
  readonly open: readonly string[]
  /** Called for each heartbeat of a host that opens tunnels. */
  hear(agent: AgentOnBus): void
  /** Ends the tunnels of hosts that have been retired or have joined again, as the table of hosts shows. */
  endStale(): Promise<void>
  /** Replaces the listener's certificate after two thirds of its life, or when the authorities have changed. */
  renewOwn(authority: Pick<Authorities, 'issueTunnel' | 'caPem'>, now: Date): Promise<void>
  close(): Promise<void>
}

export async function openTunnels(options: TunnelsOptions): Promise<Tunnels> {
  const { log, bus, db, replicaId, times = {} } = options
  const tunnels = new Map<string, OpenTunnel>()
  const waiting = new WaitingSockets(times.waitMs ?? defaultWaitMs)

  const carry = (hostId: string, socket: Socket): void => {
    const stream = tunnels.get(hostId)?.tunnel.open() ?? null
    if (stream) relay(socket, stream)
    else waiting.add(hostId, socket)
  }
  await removeStaleFolders(tmpdir(), log)
  const sockets = new HostSockets(carry)

  async function accept({ hostId, fingerprint, socket }: Arrival): Promise<string | null> {
    const host = await db.host.findUnique({ where: { id: hostId }, select: columns })
    const refusal = refute(host, fingerprint)
    if (refusal !== null) return refusal
    const tunnel = await startTunnel(socket, times.pings)
    if (tunnel === null) return 'the connection ended before it was a tunnel'
    // The host may have just been retired.
    if (options.isRetired(hostId)) {
      tunnel.end()
      return retiredText
    }
    const earlier = tunnels.get(hostId)
    const opened = { tunnel, joinId: host?.joinId ?? null }
    tunnels.set(hostId, opened)
    tunnel.onEnd(() => {
      if (tunnels.get(hostId) !== opened) return
      tunnels.delete(hostId)
      log.info({ host: hostId }, 'the tunnel of a host ended')
    })
    log.info({ host: hostId, address: socket.remoteAddress }, 'a host opened a tunnel')
    earlier?.tunnel.end()
    for (const each of waiting.take(hostId)) carry(hostId, each)
    return null
  }

  const drop = (hostId: string): void => {
    tunnels.get(hostId)?.tunnel.end()
    sockets.remove(hostId)
  }

  const listener = await listenForTunnels({
    listen: options.listen,
    credentials: options.credentials,
    accept,
    log,
    limits: options.limits,
    handshakeMs: times.handshakeMs,
  })
  const own = new OwnCertificate(options.credentials)
  const { host } = options.listen
  const address = options.address ?? `${host.includes(':') ? `[${host}]` : host}:${listener.port}`
  log.info({ listen: options.listen, address }, 'tunnels of hosts ready')
  return {
    address,
    get open() {
      return [...tunnels.keys()]
    },
    socketOf: (hostId) => sockets.pathOf(hostId),
    hear(agent) {
      if (tunnels.has(agent.hostId)) return
      bus.publish(subjects.announce(agent), { tunnel: { replica: replicaId, address } } satisfies Announce)
    },
    drop,
    async endStale() {
      if (tunnels.size === 0) return
      const where = { id: { in: [...tunnels.keys()] } }
      const hosts = await db.host.findMany({ where, select: { id: true, ...columns } })
      for (const { id, joinId, retiredAt } of hosts) {
        const opened = tunnels.get(id)
        // A renewed certificate does not affect the tunnel.
        if (!opened || (retiredAt === null && joinId === opened.joinId)) continue
        log.warn({ host: id }, 'ending the tunnel of a host that has been retired, or has joined again')
        opened.tunnel.end()
      }
    },
    async renewOwn(authority, now) {
      if (!own.isDue(now, authority.caPem)) return
      const renewed = await authority.issueTunnel()
      own.use(renewed)
      listener.useCertificate(renewed)
    },
    async close() {
      sockets.close()
      for (const { tunnel } of tunnels.values()) tunnel.end()
      await listener.close()
    },
  }
}

interface OpenTunnel {
  tunnel: Tunnel
  /** The ID of the host's join. */
  joinId: string | null
}

const retiredText = 'the host is retired'

const columns = {
  retiredAt: true,
  joinId: true,
  certificateFingerprint: true,
  nextCertificateFingerprint: true,
} as const

type HostRow = Pick<Host, keyof typeof columns>

/** Returns the reason to refuse a host with this certificate; null if there is none. */
function refute(host: HostRow | null, fingerprint: string): string | null {
  if (!host) return 'the host is unknown'
  const { certificateFingerprint: current, nextCertificateFingerprint: next } = host
  if (host.retiredAt) return retiredText
  if (current === null || fingerprint === current || fingerprint === next) return null
  return 'the host presents an earlier certificate of its ID'
}
