/** Finds the host that made a recording. Used by the service and by the job. */
import { hostInReach } from '../../rental/devices/reach.js'
import { type Recording } from '../../gen/prisma/client.js'
import { isHostLostForGood } from '../../rental/devices/listened.js'
import { addressOf } from '../../links/host-calls/address-of.js'
import { type HostClients, type HostConnection } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'

/** Null: unreachable; `gone`: permanently lost. */
export async function hostOf(
  core: Core,
  hosts: HostClients,
  { hostId }: Recording,
): Promise<HostConnection | 'gone' | null> {
  const host = await core.db.host.findUniqueOrThrow({ where: { id: hostId } })
  const { retiredAt, lastSeenAt } = host
  const address = addressOf(host)
  if (retiredAt !== null || (await isHostLostForGood(core, hostId))) return 'gone'
  const now = core.clock.now()
  return address !== null && hostInReach(lastSeenAt, now, core.rules) ? hosts.to(hostId, address) : null
}
