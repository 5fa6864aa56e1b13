/**
 * Publishes this host's state on the broker: every two seconds, immediately on a
 * change, and on request of the control plane. An unreachable broker delays messages
 * but stops nothing.
 */
import { loadavg } from 'node:os'
import {
  announceSchema,
  logsOfLoss,
  openBus,
  protocol,
  subjects,
  type AgentTrust,
  type BrokerAuthorities,
  type Bus,
  type DeviceStatus,
  type Heartbeat,
  type HostRefusal,
  type Logger,
  type PhoneReport,
  type TunnelOffer,
} from '@phonerack/shared'
import { countHeartbeat } from '../../base/metrics/instruments.js'

interface HeartbeatOptions {
  hostId: string
  /** The ID of the host's rejoin; null when the machine joined as a new host. */
  joinId: string | null
  version: string
  address: string
  /** SHA-256 of the certificate with which the host answers calls. */
  certificate: () => string
  natsUrl: string
  /** The authorities that the host trusts. Omitted when the host cannot change them. */
  trust?: () => AgentTrust
  /** The authorities for the broker's certificate. When omitted, the defaults of Node.js apply. */
  authorities?: BrokerAuthorities
  creds: string
  devices: () => DeviceStatus[]
  /** A missing part of this host, for the operator; null when there is none. */
  problem: string | null
  /** The reason for which this host takes no new work; null when it takes work. */
  refuses: () => HostRefusal | null
  /** The last known epoch of the database. docs/decisions/0141 */
  epoch: RememberedEpoch
  /** Observations on phones that are not yet acknowledged. Omitted when this agent observes nothing. */
  reports?: { pending(): PhoneReport[]; acknowledge(ids: readonly string[]): void }
  /** A replica offers a tunnel. */
  onTunnel?: (offer: TunnelOffer) => void
  log: Logger
}

export interface RememberedEpoch {
  /** Null when the agent does not know an epoch yet. */
  get(): string | null
  set(epoch: string): void
}

export interface Heartbeats {
  /** Reports that a device changed. Concurrent changes are sent in one message. */
  changed(): void
  stop(): Promise<void>
}

/** Milliseconds. */
const times = { every: 2000, together: 20 }

export function startHeartbeats(options: HeartbeatOptions): Heartbeats {
  const { hostId, log } = options
  let bus: Bus | null = null
  let sequence = 0
  let soon: NodeJS.Timeout | null = null
  let stopped = false

  async function connect(): Promise<void> {
    const made = await openBus({
      url: options.natsUrl,
      name: `host ${hostId}`,
      creds: options.creds,
      ...(options.authorities === undefined ? {} : { authorities: options.authorities }),
      waitMs: 0,
      ...logsOfLoss(log, 'the control plane does not hear this host'),
    })
    if (stopped) return made.close()
    bus = made
    made.subscribe(subjects.announce(options), (message) => {
      const { epoch, tunnel, acknowledged } = announceSchema.safeParse(message).data ?? {}
      if (epoch !== undefined) remember(epoch)
      if (acknowledged) options.reports?.acknowledge(acknowledged)
      else if (tunnel) options.onTunnel?.(tunnel)
      else send()
    })
    made.onReconnect(send)
    if (made.connected) send()
  }

  /** Stores the epoch on disk before the next heartbeat contains it. */
  function remember(epoch: string): void {
    if (epoch === options.epoch.get()) return
    log.info({ epoch, before: options.epoch.get() }, 'the control plane uses another database')
    options.epoch.set(epoch)
  }

  function send(): void {
    if (!bus?.connected) return countHeartbeat('failed')
    const reports = options.reports?.pending() ?? []
    const message: Heartbeat = {
      host_id: hostId,
      protocol_version: protocol.version,
      sequence: ++sequence,
      at: new Date().toISOString(),
      version: options.version,
      address: options.address,
      certificate: options.certificate(),
      ...(options.trust === undefined ? {} : { trust: options.trust() }),
      load: loadavg()[0] ?? 0,
      epoch: options.epoch.get(),
      problem: options.problem,
      refuses: options.refuses(),
      devices: options.devices(),
      ...(reports.length > 0 ? { reports } : {}),
    }
    try {
      bus.publish(subjects.heartbeat(options), message)
    } catch (error) {
      // Called by a timer: the agent must survive a message that the broker's client refuses.
      log.error({ err: error }, 'the heartbeat could not be sent')
      return countHeartbeat('failed')
    }
    countHeartbeat('sent')
  }

  const timer = setInterval(send, times.every)
  void connect()

  return {
    changed() {
      soon ??= setTimeout(() => {
        soon = null
        send()
      }, times.together)
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      if (soon) clearTimeout(soon)
      await bus?.close()
    },
  }
}
