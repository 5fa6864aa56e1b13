/**
 * Job `device.claim`: a phone at a host claims the identity of a device of another host or serial. The job
 * asks the host for a proof, and moves the device if the proof is valid and the earlier host does not have
 * the phone. docs/decisions/0223
 */
import { type ProveDeviceRequest, type ProveDeviceResponse } from '@phonerack/proto'
import { hostFaultIn, isProven, newNonce, Progress } from '@phonerack/shared'
import { inTransaction } from '../../base/db/database.js'
import { deviceWith, type Claimed } from '../../rental/devices/identity.js'
import { claimedByTwo, notProven } from '../../rental/devices/quarantine.js'
import {
  placeDevice,
  type JobContext,
  type PlacedDevice,
} from '../../phone-io/device-control/placed-device.js'
import { CallFailure, callHost } from '../../links/host-calls/calls.js'
import { claimObstacleOf, isAway, lockMove, moveDevice, obstacleOf } from '../hosts/move.js'
import { addHostAudit } from '../../base/audit/audit.js'
import { type JobPayload } from '../../base/queue/queue.js'

/** Milliseconds. `conflict`: how long the earlier host may still report the phone before the claim is quarantined. */
const times = { call: 20_000, conflict: 60_000 }

export async function claimDeviceJob(
  context: JobContext,
  { deviceId: targetId, identity }: JobPayload<'device.claim'>,
): Promise<void> {
  const { core } = context
  const claimed = await deviceWith(core.db, identity, targetId)
  const target = await placeDevice(context, { id: targetId })
  if (!claimed || target?.state !== 'unenrolled' || target.enrolledAt !== null) return
  const proof = await prove(context, target, identity)
  if (proof === null) return
  if (proof.fault !== null)
    return quarantineClaim(context, target, notProven(claimed.id, claimed.hostName, proof.fault))
  await settle(context, { target, claimed, identity })
}

/**
 * Returns null when the host did not answer, or did not reach the phone. `fault`: why the proof failed; null:
 * the identity is proven.
 */
async function prove(
  context: JobContext,
  { hostId, serial, connection }: PlacedDevice,
  identity: string,
): Promise<{ fault: string | null } | null> {
  if (!connection) return null
  const nonce = newNonce()
  const ask = () =>
    callHost<ProveDeviceRequest, ProveDeviceResponse>(
      connection,
      (client, ...rest) => client.proveDevice(...rest),
      { serial, nonce },
      Progress.for(times.call, context.stopping),
    )
  try {
    const answer = await context.slots.run(hostId, 'short', ask)
    if (answer === 'turn') return null
    if (answer.identity !== identity) return null
    const isTrue = isProven({ nonce, hostId, serial, identity }, answer.signature)
    return { fault: isTrue ? null : 'its signature is wrong.' }
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    context.core.log.warn({ host: hostId, err: error }, 'a host did not prove the identity of a phone')
    const { answer } = error
    if (answer !== null && !answer.retryable && hostFaultIn(answer.details) === null)
      return { fault: answer.message }
    // The phone may have been disconnected a moment ago.
    return null
  }
}

/** The phone at this place has proven that it has this key. */
interface Proven {
  target: PlacedDevice
  claimed: Claimed
  identity: string
}

async function settle({ core }: JobContext, { target, claimed, identity }: Proven): Promise<void> {
  const moved = await inTransaction(core.db, async (tx) => {
    const move = await lockMove(tx, claimed.id, target.id)
    const now = core.clock.now()
    if (move?.target.state !== 'unenrolled') return null
    // During the call, a wipe may have given the device a new key, or another phone may have been connected
    // at the place.
    if (move.device.identityKey !== identity || !isAt(move.target, target)) return null
    const obstacle = obstacleOf(move)?.text ?? claimObstacleOf(move)
    if (obstacle !== null) {
      const data = { claimedSince: now, reason: `cannot be moved here: ${obstacle}` }
      await tx.device.update({ where: { id: target.id }, data })
      return null
    }
    const { device, phone } = move
    if (!(await isAway(tx, device, now, core.rules))) {
      // Two adb servers, or two cables, may reach one phone at the same host.
      if (device.hostId === move.target.hostId) return null
      const since = move.target.claimedSince ?? now
      const isOver = now.getTime() - since.getTime() >= times.conflict
      const reason = claimedByTwo(device.id, device.host.name)
      await tx.device.update({
        where: { id: target.id },
        data: { claimedSince: since, reason, ...(isOver ? { state: 'quarantined' } : {}) },
      })
      return null
    }
    await moveDevice(core, tx, move, { now, vouched: false })
    await addHostAudit(tx, move.target.host, now, {
      action: 'device.move',
      target: device.id,
      before: { host_id: device.hostId, serial: device.serial },
      after: { host_id: move.target.hostId, serial: move.target.serial, proven: true },
    })
    return { phoneId: phone?.id ?? null, from: device.hostId, to: move.target.hostId }
  })
  if (!moved) return
  core.log.info(
    { audit: 'device.move', device: claimed.id, ...moved },
    'a phone moved to another host or serial',
  )
  if (moved.phoneId !== null) core.changes.publish(moved.phoneId)
}

const isAt = (row: Place, place: Place): boolean => row.hostId === place.hostId && row.serial === place.serial

type Place = Pick<PlacedDevice, 'hostId' | 'serial'>

async function quarantineClaim({ core }: JobContext, { id }: PlacedDevice, reason: string): Promise<void> {
  const { count } = await core.db.device.updateMany({
    where: { id, state: 'unenrolled', enrolledAt: null, phoneId: null },
    data: { state: 'quarantined', reason },
  })
  if (count > 0)
    core.log.error({ audit: 'device.claim_refused', device: id, reason }, 'a claim of a phone was refused')
}
