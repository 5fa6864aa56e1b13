/** Retires a host permanently. */
import { type Facts } from '../../base/db/audit-log.js'
import { subjects, type HostRetired } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { clearRetiredDevices } from '../../rental/devices/retired.js'
import { addJob } from '../../base/queue/queue.js'
import { invalidField } from '../../base/validation/fields.js'
import { findHost, readHost, type HostView } from './hosts.js'
import { type Change, type Work } from '../../base/audit/work.js'

/** `phones`: the phones that end with the host. */
export type RetiredHost = HostView & { phones: number }

/**
 * Retires a host. From the commit on, no replica calls the host or accepts its heartbeats. The job
 * `host.phones_end` ends the host's phones. A repeated call changes nothing.
 * @throws ApiError not_found; validation_failed when the host holds phones and `force` is false
 */
export async function retireHost(work: Work, ref: string, force: boolean): Promise<Change<RetiredHost>> {
  const { core, tx, now } = work
  const { id } = await findHost(tx, ref)
  await tx.$queryRaw`select 1 from hosts where id = ${id} for update`
  const before = await readHost(tx, id, now, core.rules)
  let phones = 0
  if (before.state !== 'retired') {
    // Without the address, replicas of earlier releases cannot call the host either.
    const data = { retiredAt: now, address: null, drainedAt: null, drainUntil: null }
    await tx.host.update({ where: { id }, data })
    // A create or start that has already locked a device commits first, so none commits after the retirement.
    await tx.$queryRaw`select 1 from devices where host_id = ${id} order by id for update`
    phones = await tx.device.count({ where: { hostId: id, phoneId: { not: null } } })
    if (phones > 0 && !force) throw invalidField('force', refusal(phones))
    await tx.joinToken.updateMany({ where: { rejoinsHostId: id, usedAt: null }, data: { expiresAt: now } })
    await clearRetiredDevices(tx, { hostId: id })
    await addJob(tx, 'host.phones_end', { hostId: id }, { key: `host.phones_end:${id}` })
    work.afterCommit(() => tellReplicas(core, id))
  }
  const after = await readHost(tx, id, now, core.rules)
  return {
    result: { ...after, phones },
    target: id,
    before: factsOf(before),
    after: { ...factsOf(after), phones },
  }
}

const refusal = (phones: number): string =>
  `must be \`true\` (\`--force\` of \`ctl\`), because ${phones === 1 ? '1 phone is' : `${phones} phones are`} on this host. With it, they fail and their data is lost`

function tellReplicas(core: Core, id: string): void {
  core.bus.publish(subjects.hostRetired, { host_id: id } satisfies HostRetired)
  core.bus.publish(subjects.userRevoked, {})
}

const factsOf = ({ name, state, devices, running }: HostView): NonNullable<Facts> => ({
  name,
  state,
  devices,
  running,
})
