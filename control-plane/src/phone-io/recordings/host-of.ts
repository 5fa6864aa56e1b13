/** Finds the host that made a recording. Used by the service and by the job. */
import { addressInReach } from '../../rental/devices/placement.js'
import { type Recording } from '../../gen/prisma/client.js'
import { isHostLostForGood } from '../../rental/devices/listened.js'
import { type HostClients, type HostConnection } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'

/** Returns null if the host is unreachable, and `gone` if it is permanently lost. */
export async function hostOf(
  core: Core,
  hosts: HostClients,
  { hostId }: Recording,
): Promise<HostConnection | 'gone' | null> {
  const host = await core.db.host.findUniqueOrThrow({ where: { id: hostId } })
  if (host.retiredAt !== null || (await isHostLostForGood(core, hostId))) return 'gone'
  const address = addressInReach(host, core.clock.now(), core.rules)
  return address && hosts.to(hostId, address)
}
