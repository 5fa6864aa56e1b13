/**
 * The hosts without an open port whose heartbeats this replica receives, for the metric of missing tunnels. A replica
 * without a listener for tunnels has no tunnel to any of them. Created by `app.ts`.
 */
import { createLru } from '../../base/lru.js'
import { ownNow } from '@phonerack/shared'

/** Milliseconds after which a silent host is no longer listed: other metrics show that it is offline. */
const heardForMs = 60_000

export class DialledHosts {
  private readonly heardAt = createLru<number>({ max: 1000 })

  constructor(private readonly now: () => number = ownNow) {}

  hear(hostId: string): void {
    this.heardAt.set(hostId, this.now())
  }

  /** Returns for each host whether it has a tunnel to this replica. @param open hosts with a tunnel */
  tunnels(open: readonly string[]): ReadonlyMap<string, boolean> {
    const since = this.now() - heardForMs
    const heard = [...this.heardAt.entries()].filter(([, at]) => at >= since)
    return new Map([
      ...heard.map(([host]) => [host, false] as const),
      ...open.map((host) => [host, true] as const),
    ])
  }
}
