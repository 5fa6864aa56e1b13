/**
 * Limits the connections that have not yet proved to come from a host, and the attempts of each host. Times in
 * milliseconds.
 *
 * The gate does not use `failure-limit.ts`: that limit applies to all networks after many failures, and then accepts
 * only valid secrets. Here, the handshake itself is the proof, so such a limit would let any client lock out every
 * host.
 */
import { createLru } from '../../base/lru.js'
import { siteOf } from '../../base/failure-limit/network.js'
import { countTunnelConnection, type TunnelOutcome } from '../../base/metrics/instruments.js'
import { Slots, type SlotLimits } from './slots.js'

export interface GateLimits extends SlotLimits {
  /** Failed connections of one network within `windowMs`. */
  failures: number
  /** Failed connections of an IPv6 site, whose networks can belong to different customers of a provider. */
  failuresPerSite: number
  windowMs: number
  /** Failures of a network do not count for this long after a tunnel of one of its hosts. */
  trustMs: number
  /** Tunnels that the holder of one certificate may begin within `windowMs`. */
  attemptsPerHost: number
}

/** The limits allow many racks behind one address, which all connect again after a replica has started. */
export const gateLimits: GateLimits = {
  waiting: 500,
  waitingPerNetwork: 100,
  failures: 60,
  failuresPerSite: 600,
  windowMs: 60_000,
  trustMs: 86_400_000,
  attemptsPerHost: 30,
}

/** A connection in the gate. */
export interface Entry {
  /**
   * Called when the connection has presented a host's certificate. It then leaves its slot. Returns false if that host
   * tries too often.
   */
  present(fingerprint: string, now: number): boolean
  /** Must be called when the connection has become a tunnel or ended. Only the first call counts. */
  leave(outcome: 'opened' | 'failed', now: number): void
}

export class Gate {
  private readonly slots: Slots
  private readonly failed: Windows
  private readonly attempts: Windows
  private readonly trusted = createLru<number>({ max: 10_000 })
  /** Connections that presented a certificate and are not yet tunnels; one for each certificate. */
  private readonly presented = new Map<string, () => void>()

  /** @param onOutcome called once for each connection */
  constructor(
    private readonly limits: GateLimits = gateLimits,
    private readonly onOutcome: (outcome: TunnelOutcome) => void = countTunnelConnection,
  ) {
    this.slots = new Slots(limits)
    this.failed = new Windows(limits.windowMs)
    this.attempts = new Windows(limits.windowMs)
  }

  /**
   * @param network from `networkOf` @param close ends the connection to make room for a newer connection @returns null
   * if the connection must be refused
   */
  enter(network: string, now: number, close: () => void): Entry | null {
    if (this.isLimited(network, now)) {
      this.onOutcome('refused')
      return null
    }
    let isOver = false
    let endPresented: () => void = () => undefined
    const finish = (outcome: TunnelOutcome): boolean => {
      if (isOver) return false
      isOver = true
      this.slots.delete(slot)
      endPresented()
      this.onOutcome(outcome)
      return true
    }
    const evict = (): void => {
      if (finish('evicted')) close()
    }
    const slot = { network, evict }
    this.slots.add(slot)
    return {
      present: (fingerprint, at) => {
        if (isOver || this.attempts.of(fingerprint, at) >= this.limits.attemptsPerHost) return false
        this.attempts.add(fingerprint, at)
        this.slots.delete(slot)
        this.presented.get(fingerprint)?.()
        this.presented.set(fingerprint, evict)
        endPresented = () => {
          if (this.presented.get(fingerprint) === evict) this.presented.delete(fingerprint)
        }
        return true
      },
      leave: (outcome, at) => {
        if (!finish(outcome)) return
        if (outcome === 'opened') this.trusted.set(network, at)
        else if (!this.isTrusted(network, at))
          for (const name of new Set([network, siteOf(network)])) this.failed.add(name, at)
      },
    }
  }

  private isTrusted(network: string, now: number): boolean {
    const at = this.trusted.get(network)
    return at !== undefined && now - at < this.limits.trustMs
  }

  private isLimited(network: string, now: number): boolean {
    if (this.isTrusted(network, now)) return false
    const site = siteOf(network)
    if (this.failed.of(network, now) >= this.limits.failures) return true
    return site !== network && this.failed.of(site, now) >= this.limits.failuresPerSite
  }
}

/** Counts events by name within a time window, which begins with the first event. */
class Windows {
  private readonly counts = createLru<{ count: number; since: number }>({ max: 20_000 })

  constructor(private readonly windowMs: number) {}

  of(name: string, now: number): number {
    const known = this.counts.get(name)
    return known === undefined || now - known.since >= this.windowMs ? 0 : known.count
  }

  add(name: string, now: number): void {
    const count = this.of(name, now)
    const since = count === 0 ? now : (this.counts.get(name)?.since ?? now)
    this.counts.set(name, { count: count + 1, since })
  }
}
