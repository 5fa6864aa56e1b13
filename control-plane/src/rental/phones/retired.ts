/** Ends the phones of retired hosts: their devices, and the data on them, are lost. */
import { type Core } from '../../base/core/core.js'
import { inTransaction } from '../../base/db/database.js'
import { clearRetiredDevices } from '../devices/retired.js'
import { endRun } from './end.js'
import { lockPhone } from './records.js'

/** Ends the phones of a retired host. Safe to run twice, and on several replicas. */
export async function endRetiredPhones(core: Core): Promise<void> {
  const rows = await core.db.$queryRaw<{ id: string }[]>`select d.phone_id as id
    from hosts h join devices d on d.host_id = h.id
    where h.retired_at is not null and d.phone_id is not null order by d.id`
  const errors: unknown[] = []
  for (const { id } of rows) await endRetired(core, id).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, 'could not end all phones of retired hosts')
}

/** Sessions are billed to the time of the retirement, even when a job notices it later. */
async function endRetired(core: Core, phoneId: string): Promise<void> {
  const ended = await inTransaction(core.db, async (tx) => {
    const phone = await lockPhone(tx, phoneId, 'project and phone')
    const device = await tx.device.findUnique({ where: { phoneId }, include: { host: true, phone: true } })
    const at = device?.host.retiredAt
    if (!phone || !at) return false
    const lost = device.phone?.hasData === true ? ' Its apps and data are lost.' : ''
    const message = `The host of the phone was retired.${lost} Create another phone.`
    const ended = await endRun(tx, core.rules, phone, 'fail', {
      at,
      now: core.clock.now(),
      failure: { code: 'phone_unavailable', message },
    })
    // This replaces the wipe that follows a phone's end.
    await clearRetiredDevices(tx, { id: device.id })
    return ended
  })
  if (ended) core.changes.publish(phoneId)
}
