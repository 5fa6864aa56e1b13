/** Handles devices of retired hosts. A phone that is connected to another host later gets a new row there. */
import { Prisma } from '../../gen/prisma/client.js'
import { type Tx } from '../../base/db/database.js'

/**
 * Makes devices without a phone unenrolled. The raised fencing number ends their wipes and
 * enrolments. @param which one device, or all of a host
 */
export async function clearRetiredDevices(tx: Tx, which: { id: string } | { hostId: string }): Promise<void> {
  const chosen = 'id' in which ? Prisma.sql`d.id = ${which.id}` : Prisma.sql`d.host_id = ${which.hostId}`
  await tx.$executeRaw`update devices d
    set state = 'unenrolled', link = 'absent', reason = 'its host is retired', phone_id = null,
      fencing_number = fencing_number + 1, enrolled_at = null, grace_until = null, wipe_only = false,
      confirmed_epoch = null, clean_for = '', report_fault = null,
      drained_at = null, drain_until = null, maintenance_at = null, maintenance_note = null
    from hosts h
    where h.id = d.host_id and h.retired_at is not null and d.phone_id is null and ${chosen}`
}
