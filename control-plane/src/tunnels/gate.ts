/** Limits the connections that have not proved yet that they are a host's. Pure; time in milliseconds. */
import { LRUCache } from 'lru-cache'

export interface GateLimits {
  /** Connections that have proved nothing yet: from all networks, and from one. */
  waiting: number
  waitingPerNetwork: number
  /** Connections of one network that failed to prove it, within `windowMs`. */
  failures: number
  windowMs: number
}

/** Many racks can share one address, and all of them connect again after a replica has started. */
export const gateLimits: GateLimits = {
  waiting: 500,
  waitingPerNetwork: 100,
  failures: 60,
  windowMs: 60_000,
}

export class Gate {
  private readonly waiting = new Map<string, number>()
  private total = 0
  private readonly failed = new LRUCache<string, { count: number; since: number }>({ max: 10_000 })

  constructor(private readonly limits: GateLimits = gateLimits) {}

  /** False: refuse the connection. Otherwise call the result once, when it has proved itself or ended. */
  enter(network: string, now: number): false | ((outcome: 'proved' | 'failed', at: number) => void) {
    const { waiting, waitingPerNetwork, failures } = this.limits
    const current = this.waiting.get(network) ?? 0
    if (this.total >= waiting || current >= waitingPerNetwork) return false
    if (this.failuresOf(network, now) >= failures) return false
    this.total += 1
    this.waiting.set(network, current + 1)
    let isOver = false
    return (outcome, at) => {
      if (isOver) return
      isOver = true
      this.total -= 1
      const left = (this.waiting.get(network) ?? 1) - 1
      if (left === 0) this.waiting.delete(network)
      else this.waiting.set(network, left)
      if (outcome === 'failed') this.fail(network, at)
    }
  }

  private failuresOf(network: string, now: number): number {
    const known = this.failed.get(network)
    return known === undefined || now - known.since >= this.limits.windowMs ? 0 : known.count
  }

  private fail(network: string, now: number): void {
    const count = this.failuresOf(network, now)
    const since = count === 0 ? now : (this.failed.get(network)?.since ?? now)
    this.failed.set(network, { count: count + 1, since })
  }
}
