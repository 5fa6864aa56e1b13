/**
 * Keeps one tunnel to each replica of the control plane that offers a tunnel. A replica repeats its offer
 * until the tunnel is open, so a replica that no longer runs is forgotten. Created by `agent.ts`.
 * docs/decisions/0227
 */
import { type Logger, type TunnelOffer } from '@phonerack/shared'
import { type PingTimes } from '@phonerack/shared/tunnel'
import { keepRunning } from '../../base/keep-running.js'
import type { TunnelsState } from './state.js'
import { runTunnel, type TunnelIdentity } from './tunnel.js'

export interface TunnelsOptions {
  /** The current certificate, which may be renewed. */
  identity: () => TunnelIdentity
  /** The Unix socket of the agent's gRPC server. */
  target: string
  /** Called with all tunnels after each change. */
  onChange?: (state: TunnelsState) => void
  log: Logger
  /** For tests. */
  times?: Partial<typeof defaults> & { pings?: PingTimes; handshakeMs?: number }
}

export interface Tunnels {
  offer(offer: TunnelOffer): void
  /** IDs of the replicas with an open tunnel. */
  readonly open: readonly string[]
  stop(): Promise<void>
}

/** Milliseconds, except for `replicas`. */
const defaults = {
  /** This limit is above the number of replicas of any installation. */
  replicas: 64,
  /** How long a replica is tried after its last offer, or after the end of its tunnel. */
  forgetAfter: 60_000,
  pauses: { first: 250, cap: 5000 },
  /** A tunnel that was open for longer counts as successful. */
  steady: 10_000,
}

interface Replica {
  address: string
  triedUntil: number
  isOpen: boolean
  fault: string | null
  running: Promise<void>
}

export function keepTunnels(options: TunnelsOptions): Tunnels {
  const { identity, target, log, times = {} } = options
  const { replicas: most, forgetAfter, pauses, steady } = { ...defaults, ...times }
  const replicas = new Map<string, Replica>()
  const stopping = new AbortController()
  const changed = (): void =>
    options.onChange?.(
      [...replicas].map(([replica, { address, isOpen, fault }]) => ({ replica, address, isOpen, fault })),
    )
  changed()

  async function run(id: string, replica: Replica): Promise<'again' | 'done'> {
    const { address } = replica
    try {
      await runTunnel({
        address,
        target,
        identity: identity(),
        signal: stopping.signal,
        pings: times.pings,
        handshakeMs: times.handshakeMs,
        onOpen() {
          Object.assign(replica, { isOpen: true, fault: null })
          changed()
          log.info({ replica: id, address }, 'a tunnel to the control plane was opened')
        },
      })
      log.info({ replica: id, address }, 'a tunnel to the control plane ended')
      replica.triedUntil = performance.now() + forgetAfter
      replica.fault = 'it ended'
    } catch (error) {
      replica.fault = error instanceof Error ? error.message : String(error)
      if (!stopping.signal.aborted)
        log.warn({ err: error, replica: id, address }, 'a tunnel to the control plane could not be opened')
    }
    replica.isOpen = false
    changed()
    return performance.now() < replica.triedUntil ? 'again' : 'done'
  }

  return {
    offer({ replica: id, address }) {
      if (stopping.signal.aborted) return
      const triedUntil = performance.now() + forgetAfter
      const known = replicas.get(id)
      if (known) {
        Object.assign(known, { address, triedUntil })
        return
      }
      if (replicas.size >= most) return
      const replica: Replica = { address, triedUntil, isOpen: false, fault: null, running: Promise.resolve() }
      replicas.set(id, replica)
      changed()
      replica.running = keepRunning(() => run(id, replica), {
        signal: stopping.signal,
        pauses,
        steadyMs: steady,
      }).finally(() => {
        replicas.delete(id)
        changed()
      })
    },
    get open() {
      return [...replicas].flatMap(([id, { isOpen }]) => (isOpen ? [id] : []))
    },
    async stop() {
      stopping.abort()
      await Promise.all([...replicas.values()].map(({ running }) => running))
    },
  }
}
