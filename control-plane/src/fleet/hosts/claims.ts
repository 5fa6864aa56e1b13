/**
 * Handles heartbeats that say that a phone has the identity of a device of another host or serial. A claim
 * moves nothing: the job `device.claim` asks for a proof. docs/decisions/0223
 */
import { type DeviceStatus } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { inTransaction } from '../../base/db/database.js'
import { isUp } from '../../rental/devices/link.js'
import { addJob } from '../../base/queue/queue.js'
import { type ClaimRests, missingMs } from './claim-rests.js'

export interface Claim {
  /** The device row at the host that reports the claim. */
  deviceId: string
  /** The public key of the identity. */
  identity: string
}

/**
 * Adds a job that checks the claim, unless the claim was checked a moment ago, or no device of a host in use
 * has this identity.
 */
export async function noteClaim(core: Core, { deviceId, identity }: Claim, rests: ClaimRests): Promise<void> {
  const now = core.clock.now()
  const rested = new Date(now.getTime() - rests.of(deviceId))
  // Test without a lock first, since an unchecked claim arrives with every heartbeat.
  const due = await core.db.$queryRaw<unknown[]>`select 1 from devices t
    where t.id = ${deviceId} and t.state = 'unenrolled' and t.phone_id is null and t.enrolled_at is null
      and (t.claim_checked_at is null or t.claim_checked_at < ${rested})
      and exists (select 1 from devices d join hosts h on h.id = d.host_id
        where d.identity_key = ${identity} and d.id <> t.id and h.retired_at is null)`
  if (due.length === 0) return
  rests.checked(deviceId)
  await inTransaction(core.db, async (tx) => {
    // The time of an earlier claim does not count for this claim.
    const over = new Date(now.getTime() - missingMs)
    await tx.device.updateMany({
      where: { id: deviceId, claimCheckedAt: { lt: over } },
      data: { claimedSince: null },
    })
    const { count } = await tx.device.updateMany({
      where: {
        id: deviceId,
        state: 'unenrolled',
        OR: [{ claimCheckedAt: null }, { claimCheckedAt: { lt: rested } }],
      },
      data: { claimCheckedAt: now },
    })
    if (count > 0)
      await addJob(tx, 'device.claim', { deviceId, identity }, { key: `device.claim:${deviceId}` })
  })
}

/**
 * Whether the agent has used the place after the device moved away: its fencing number is higher than the
 * numbers of the move and of the orders to forget. The database is then older than that use, and the agent
 * must not forget the use.
 */
export const isUsedSince = (
  row: { movedAwayAt: Date | null; fencingNumber: bigint },
  { fencing_number }: Pick<DeviceStatus, 'fencing_number'>,
): boolean => row.movedAwayAt !== null && BigInt(fencing_number) > row.fencingNumber

/**
 * Whether a host still uses a phone, or holds its assignment, after the device moved away from the host: the
 * host was unreachable then, and its adb server may still reach the phone.
 */
export const isLeftover = (
  { movedAwayAt, state }: { movedAwayAt: Date | null; state: string },
  { link, custody }: Pick<DeviceStatus, 'link' | 'custody'>,
): boolean =>
  movedAwayAt !== null && state === 'unenrolled' && (isUp(link) || (custody?.assignment ?? null) !== null)

/** Informs the host that the device moved. */
export async function noteLeftover(core: Core, deviceId: string, rests: ClaimRests): Promise<void> {
  const now = core.clock.now()
  const rested = new Date(now.getTime() - rests.of(deviceId))
  await inTransaction(core.db, async (tx) => {
    const { count } = await tx.device.updateMany({
      where: {
        id: deviceId,
        state: 'unenrolled',
        movedAwayAt: { not: null },
        OR: [{ claimCheckedAt: null }, { claimCheckedAt: { lt: rested } }],
      },
      // The host has not used this number.
      data: { claimCheckedAt: now, fencingNumber: { increment: 1 } },
    })
    if (count === 0) return
    rests.checked(deviceId)
    await addJob(tx, 'device.forget', { deviceId }, { key: `device.forget:${deviceId}` })
  })
}
