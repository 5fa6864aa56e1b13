/**
 * Deletes expired tokens, connectors whose client never exchanged its code, and registered clients without a connector.
 * Called at intervals.
 */
import { limits } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type Database } from '../../base/db/database.js'

export async function forgetConnectors({ db, clock }: Core): Promise<void> {
  const now = clock.now()
  await db.connectorToken.deleteMany({ where: { expiresAt: { lt: now } } })
  // The statement also deletes the phone limits of a key, since a key and its limits must not exist without each other.
  await db.$executeRaw`
    with unused as (
      select key_id from connectors where code_used_at is null and code_expires_at < ${now}::timestamptz - interval '1 day'
    ), phones as (
      delete from api_key_phones where key_id in (select key_id from unused)
    )
    delete from api_keys where id in (select key_id from unused)`
  const since = new Date(now.getTime() - limits.connectors.unusedLife * 1000)
  await db.$executeRaw`
    delete from connector_clients c where c.created_at < ${since}
      and not exists (select 1 from connectors o where o.client_id = c.id)`
}

/**
 * Deletes the oldest clients without a connector, beyond the limit of each site (an IPv4 address or an IPv6 /48) and
 * the limit of all. The newest clients of each site are kept first, so a site with many clients does not displace
 * others. A client with a connector stays.
 */
export async function forgetUnusedClients(
  db: Database,
  most: { registered: number; registeredPerSite: number } = limits.connectors,
): Promise<void> {
  await db.$executeRaw`
    with unused as (
      select c.id, c.created_at, row_number() over (partition by c.site_hash order by c.created_at desc, c.id) as place
      from connector_clients c
      where not exists (select 1 from connectors o where o.client_id = c.id)
    ), kept as (
      select id from unused where place <= ${most.registeredPerSite}
      order by place, created_at desc, id limit ${most.registered}
    )
    delete from connector_clients where id in (select id from unused except select id from kept)`
}
