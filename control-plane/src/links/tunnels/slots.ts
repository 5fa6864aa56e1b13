/**
 * The unauthenticated connections. When there are too many, a new connection displaces another: the oldest connection
 * of the network with the most, so a flood ends its own connections first. Pure. Used by `gate.ts`.
 */
import { siteOf } from '../../base/failure-limit/network.js'

export interface SlotLimits {
  /** Limits of unauthenticated connections: from all networks, and from one network. */
  waiting: number
  waitingPerNetwork: number
}

export interface Waiting {
  /** From `networkOf`. */
  network: string
  /** Closes the connection. Called once, after it has lost its slot. */
  evict(): void
}

export class Slots {
  /** Waiting connections with their sites, in the order of their arrival. */
  private readonly waiting = new Map<Waiting, string>()
  /** The counts of networks and of sites, since the owner of a /48 has 65,536 networks. */
  private readonly counts = new Map<string, number>()

  constructor(private readonly limits: SlotLimits) {}

  /** Always succeeds, if necessary by evicting another connection. */
  add(waiting: Waiting): void {
    const { network } = waiting
    const site = siteOf(network)
    this.waiting.set(waiting, site)
    this.count(network, site, 1)
    if (this.countOf(network) > this.limits.waitingPerNetwork) this.evict((each) => each.network === network)
    else if (this.waiting.size > this.limits.waiting) this.evict(() => true)
  }

  /** Does nothing for a connection without a slot. */
  delete(waiting: Waiting): void {
    const site = this.waiting.get(waiting)
    if (site === undefined) return
    this.waiting.delete(waiting)
    this.count(waiting.network, site, -1)
  }

  private evict(isMeant: (waiting: Waiting) => boolean): void {
    let found: Waiting | null = null
    let most = { site: 0, network: 0 }
    for (const [each, site] of this.waiting) {
      if (!isMeant(each)) continue
      const has = { site: this.countOf(site), network: this.countOf(each.network) }
      if (has.site < most.site || (has.site === most.site && has.network <= most.network)) continue
      found = each
      most = has
    }
    if (found === null) return
    this.delete(found)
    found.evict()
  }

  private readonly countOf = (network: string): number => this.counts.get(network) ?? 0

  private count(network: string, site: string, by: number): void {
    for (const name of new Set([network, site])) {
      const count = this.countOf(name) + by
      if (count === 0) this.counts.delete(name)
      else this.counts.set(name, count)
    }
  }
}
