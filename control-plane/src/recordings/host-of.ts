/** The host at which a recording was made. Used by the service and by the job. */
import { hostInReach } from '../devices/reach.js'
import { type Recording } from '../gen/prisma/client.js'
import { type HostClients, type HostConnection } from '../hosts/clients.js'
import { type Core } from '../phones/core.js'

/** Null: out of reach; `gone`: for good. */
export async function hostOf(
  core: Core,
  hosts: HostClients,
  { hostId }: Recording,
): Promise<HostConnection | 'gone' | null> {
  const { address, retiredAt, lastSeenAt } = await core.db.host.findUniqueOrThrow({ where: { id: hostId } })
  const now = core.clock.now()
  const isSilent = lastSeenAt === null || now.getTime() - lastSeenAt.getTime() > core.rules.lostForGoodAfterMs
  if (retiredAt !== null || isSilent) return 'gone'
  return address !== null && hostInReach(lastSeenAt, now, core.rules) ? hosts.to(hostId, address) : null
}
