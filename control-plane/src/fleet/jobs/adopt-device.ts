/**
 * Job `device.adopt`: the new host of a moved device takes over the device's phone, and the control plane
 * stores the phone's new identity, since the earlier host knows the previous identity. Safe to run twice.
 * docs/decisions/0223
 */
import { type AdoptDeviceRequest, type AdoptDeviceResponse } from '@phonerack/proto'
import { Progress } from '@phonerack/shared'
import { inTransaction } from '../../base/db/database.js'
import { quarantineDevice } from '../../rental/devices/assignment.js'
import { identityColumns } from '../../rental/devices/identity.js'
import { notAdopted } from '../../rental/devices/quarantine.js'
import { placeDevice, type JobContext } from '../../phone-io/device-control/placed-device.js'
import { CallFailure, callHost } from '../../links/host-calls/calls.js'
import { lockPhone } from '../../rental/phones/records.js'
import { turnMs } from '../../base/queue/host-slots.js'
import { type JobPayload } from '../../base/queue/queue.js'
import { backoff, reschedule } from '../../base/queue/retry.js'

/** Refusals of the agent before the device is quarantined. */
const mostRefused = 3
/** Milliseconds: one call, and the longest times until the next attempt. */
const times = { call: 120_000, turn: 2000, retry: 10_000 }

type Payload = JobPayload<'device.adopt'>

export async function adoptDeviceJob(context: JobContext, payload: Payload): Promise<void> {
  const { core } = context
  const row = await core.db.device.findUnique({ where: { id: payload.deviceId } })
  const device = await placeDevice(context, { id: payload.deviceId })
  if (!row?.adoptingSince || device?.fencingNumber !== row.fencingNumber) return
  const again = (change: Partial<Payload>, ms: number) =>
    reschedule(context, 'device.adopt', { ...payload, ...change }, ms, { key: `device.adopt:${row.id}` })
  try {
    const { connection } = device
    if (!connection) throw CallFailure.notSent('the host is unreachable')
    const answer = await context.slots.run(device.hostId, 'short', () =>
      callHost<AdoptDeviceRequest, AdoptDeviceResponse>(
        connection,
        (client, ...rest) => client.adoptDevice(...rest),
        {
          serial: row.serial,
          fencingNumber: row.fencingNumber,
          identity: row.vouched ? '' : (row.identityKey ?? 'unknown'),
          phoneId: row.phoneId ?? '',
          tenant: device.tenant,
          profileJson: row.profile ?? '',
        },
        Progress.for(times.call, context.stopping),
      ),
    )
    if (answer === 'turn') return await again({ turns: payload.turns + 1 }, turnMs(payload.turns, times.turn))
    const known = await identityColumns(core.db, row.id, { ...answer, profileJson: row.profile ?? '' })
    const { count } = await core.db.device.updateMany({
      where: { id: row.id, hostId: row.hostId, fencingNumber: row.fencingNumber },
      data: { ...known, adoptingSince: null, vouched: false, custodyRevision: answer.revision },
    })
    if (count === 0) {
      // The device's phone was deleted in the meantime: the agent needs the number that followed, and the
      // device has the new key.
      if (known.identityKey !== null)
        await core.db.device.updateMany({
          where: {
            id: row.id,
            hostId: row.hostId,
            serial: row.serial,
            adoptingSince: row.adoptingSince,
            identityKey: row.identityKey,
          },
          data: { identityKey: known.identityKey },
        })
      return await again({}, 0)
    }
    core.log.info(
      { audit: 'device.adopted', device: row.id, host: row.hostId },
      'a host took over a moved device',
    )
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    core.log.warn(
      { device: row.id, err: error, attempt: payload.attempt },
      'a host did not take over a device',
    )
    const isRefused = error.isHostFault || (error.answer !== null && !error.answer.retryable)
    const refused = payload.refused + (isRefused ? 1 : 0)
    if (refused >= mostRefused) return giveUp(context, row.id, row.fencingNumber, error.message)
    await again(
      { attempt: payload.attempt + 1, refused, turns: 0 },
      backoff(payload.attempt, 500, times.retry),
    )
  }
}

/** The device's phone keeps its claim: the operator may move the device again. */
async function giveUp({ core }: JobContext, id: string, number: bigint, fault: string): Promise<void> {
  const reason = notAdopted(fault)
  await inTransaction(core.db, async (tx) => {
    const held = await tx.device.findUnique({ where: { id }, select: { phoneId: true } })
    if (held?.phoneId) await lockPhone(tx, held.phoneId, 'phone')
    await tx.$queryRaw`select 1 from devices where id = ${id} for update`
    const row = await tx.device.findUnique({ where: { id } })
    if (row?.fencingNumber !== number || row.phoneId !== held?.phoneId) return
    await tx.device.update({ where: { id }, data: { adoptingSince: null, vouched: false } })
    if (row.phoneId !== null) await quarantineDevice(tx, row.phoneId, reason, { keepsClaim: true })
    else await tx.device.update({ where: { id }, data: { state: 'quarantined', reason } })
  })
}
