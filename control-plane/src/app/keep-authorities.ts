/**
 * Keeps the authorities and certificates of this replica current: reads the authorities from Postgres, and reissues
 * this replica's certificates after a change and before they expire. Called by `app.ts`. docs/decisions/0249
 */
import { type Clock } from '@phonerack/shared'
import { type HostClients } from '../links/host-calls/clients.js'
import { type Authorities } from '../base/pki/authorities.js'
import { type Tunnels } from '../links/tunnels/tunnels.js'

interface KeptAuthorities {
  renew(): Promise<void>
  /** Fingerprints of the authorities that all parts of this replica trust. The signing authority comes first. */
  readonly inUse: string[]
}

/** @param tunnels null if this replica has no listener for tunnels */
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
      // A concurrent join may read newer authorities.
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
