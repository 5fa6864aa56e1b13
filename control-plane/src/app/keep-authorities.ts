/**
 * Keeps the authorities and certificates of this replica current: reads the authorities from Postgres, and issues its own
 * certificates again after a change and before they end. Called by `app.ts`. docs/decisions/0249
 */
import { type Clock } from '@phonerack/shared'
import { type HostClients } from '../links/host-calls/clients.js'
import { type Authorities } from '../base/pki/authorities.js'
import { type Tunnels } from '../links/tunnels/tunnels.js'

export interface KeptAuthorities {
  renew(): Promise<void>
  /** Fingerprints of the authorities that all parts of this replica trust; the one that signs comes first. */
  readonly inUse: string[]
}

/** @param tunnels null: this replica has no listener for them */
export function keepAuthorities(
  authorities: Authorities,
  hosts: HostClients,
  tunnels: Tunnels | null,
  clock: Clock,
): KeptAuthorities {
  let inUse = authorities.fingerprints
  return {
    async renew() {
      await authorities.refresh()
      // A concurrent join may read newer ones.
      const { fingerprints } = authorities
      await hosts.renewOwn(authorities, clock.now())
      await tunnels?.renewOwn(authorities, clock.now())
      inUse = fingerprints
    },
    get inUse() {
      return inUse
    },
  }
}
