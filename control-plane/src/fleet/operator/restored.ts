/** Starts the reconciliation after a restore of the database, and shows its progress. docs/decisions/0141 */
import { type Tx } from '../../base/db/database.js'
import { readEpoch, renewEpoch } from '../../base/db/epoch.js'
import { announceAll } from '../hosts/heartbeats.js'
import { type Change, type Work } from '../../base/audit/work.js'

export interface RestoreView extends Record<string, unknown> {
  /** The database's epoch, which changes with a restore and with a failover. */
  epoch: string
  epoch_changed_at: string
  /** Idle devices that are not assigned until their hosts confirm them. */
  devices_to_confirm: number
}

/**
 * Requires every device to be confirmed by its host before it is assigned, and asks the hosts
 * immediately.
 */
export async function declareRestored({ core, tx, now, afterCommit }: Work): Promise<Change<RestoreView>> {
  const before = await readRestore(tx)
  await renewEpoch(tx, now)
  afterCommit(() => {
    announceAll(core).catch((error: unknown) =>
      core.log.warn(
        { err: error },
        'could not reach the hosts; they learn of the restore at their next heartbeat',
      ),
    )
  })
  const after = await readRestore(tx)
  return { result: after, target: null, before, after }
}

export async function readRestore(db: Pick<Tx, '$queryRaw' | 'databaseEpoch'>): Promise<RestoreView> {
  const { changedAt } = await db.databaseEpoch.findUniqueOrThrow({ where: { id: 1 } })
  const rows = await db.$queryRaw<{ count: bigint }[]>`select count(*) as count from devices d
    join hosts h on h.id = d.host_id
    where d.state in ('free', 'offline', 'unauthorized') and d.enrolled_at is not null and h.retired_at is null
      and d.confirmed_epoch is distinct from (select current_epoch())`
  return {
    epoch: await readEpoch(db),
    epoch_changed_at: changedAt.toISOString(),
    devices_to_confirm: Number(rows[0]?.count ?? 0),
  }
}
