/** Operators remove places that a device has left, and retired hosts, from the lists. */
import { type Facts } from '../../base/db/audit-log.js'
import { invalidField } from '../../base/validation/fields.js'
import { factsOf as factsOfDevice, lockDevice } from './devices.js'
import { findHost, readHost, type HostView } from './hosts.js'
import { type Change, type Work } from '../../base/audit/work.js'

interface Removed {
  id: string
  removed: true
}

/**
 * Removes a place that no phone uses: the device is `unenrolled`, and its host is retired or does not report
 * it. A phone that is connected there later becomes a new device.
 * @throws ApiError not_found, validation_failed
 */
export async function removeDevice({ tx }: Work, ref: string): Promise<Change<Removed>> {
  const device = await lockDevice(tx, ref)
  const { id, state, link, host } = device
  if (state !== 'unenrolled') throw invalidField('device', `cannot be removed while it is ${state}`)
  if (host.retiredAt === null && link !== 'absent')
    throw invalidField(
      'device',
      `is reported by the host ${host.name}; disconnect the phone, or remove its address from \`adb_connect\` there`,
    )
  await tx.device.delete({ where: { id } })
  return { result: { id, removed: true }, target: id, before: factsOfDevice(device), after: null }
}

/**
 * Removes a retired host and its devices from all lists. The host's row stays, so its certificate and its
 * NATS user stay refused.
 * @throws ApiError not_found; validation_failed when the host is not retired, or its phones have not ended
 * yet
 */
export async function removeHost({ core, tx, now }: Work, ref: string): Promise<Change<Removed>> {
  const { id } = await findHost(tx, ref)
  await tx.$queryRaw`select 1 from hosts where id = ${id} for update`
  const before = await readHost(tx, id, now, core.rules)
  if (before.retired_at === null) throw invalidField('host', `is ${before.state}; retire it first`)
  await tx.$queryRaw`select 1 from devices where host_id = ${id} order by id for update`
  const phones = await tx.device.count({ where: { hostId: id, phoneId: { not: null } } })
  if (phones > 0) throw invalidField('host', 'still has phones, which end within a minute; try again then')
  await tx.device.deleteMany({ where: { hostId: id } })
  await tx.host.update({ where: { id }, data: { removedAt: now } })
  return { result: { id, removed: true }, target: id, before: factsOf(before), after: null }
}

const factsOf = ({ name, country, retired_at, devices }: HostView): NonNullable<Facts> => ({
  name,
  country,
  retired_at,
  devices,
})
