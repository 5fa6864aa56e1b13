/**
 * Closes this replica's channels to retired hosts: after a message of the replica that retired the host, and
 * after a periodic read of the table, since messages can be lost.
 */
import { hostRetiredSchema, subjects } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type HostClients } from '../../links/host-calls/clients.js'

interface RetiredHosts {
  /** Closes the channels of every retired host. Reads the table. */
  retireAll(): Promise<void>
  close(): void
}

export function watchRetiredHosts(core: Core, clients: HostClients): RetiredHosts {
  const subscription = core.bus.subscribe(subjects.hostRetired, (message) => {
    const id = hostRetiredSchema.safeParse(message).data?.host_id
    if (id !== undefined) clients.retire(id)
  })
  return {
    async retireAll() {
      const where = { retiredAt: { not: null } }
      for (const { id } of await core.db.host.findMany({ where, select: { id: true } })) clients.retire(id)
    },
    close: () => subscription.unsubscribe(),
  }
}
