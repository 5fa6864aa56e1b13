/** Where a request into a phone goes: one read of the phone, its device and its host. */
import { ApiError } from '@phonerack/shared'
import { type Reader } from '../db/database.js'
import { controlOutOfReach } from '../db/out-of-reach.js'
import { type HostClients, type HostConnection } from '../hosts/clients.js'
import { permitted } from '../phones/access.js'
import { readinessConflict } from '../phones/conflicts.js'
import { type Core } from '../phones/core.js'
import { type Caller, type PhoneStatus } from '../services.js'
import { isUp } from './link.js'
import { hostInReach } from './reach.js'

export interface Target {
  connection: HostConnection
  serial: string
  fencingNumber: bigint
}

/** Of a phone that is ready, with the host it stands at. */
export interface ReadyTarget extends Target {
  hostId: string
}

interface Row {
  projectId: string
  status: PhoneStatus
  serial: string | null
  link: string | null
  fencing_number: bigint | null
  host_id: string | null
  address: string | null
  last_seen_at: Date | null
}

export const phoneUnavailable = (phoneId: string): ApiError =>
  new ApiError('phone_unavailable', { details: { phone: phoneId } })

/**
 * @throws ApiError phone_not_found, phone_not_allowed, the conflict of a phone that is
 *   not ready, phone_unavailable when its device or host is out of reach
 */
export async function readyTarget(
  core: Core,
  hosts: HostClients,
  caller: Caller,
  phoneId: string,
): Promise<ReadyTarget> {
  const row = permitted(
    caller,
    phoneId,
    await readRow(core.db, phoneId).catch((error: unknown) => {
      throw controlOutOfReach(error, { phone: phoneId })
    }),
  )
  const conflict = readinessConflict(phoneId, row.status)
  if (conflict) throw conflict
  const { serial, link, fencing_number: fencingNumber, host_id: hostId, address } = row
  if (serial === null || link === null || fencingNumber === null || hostId === null || address === null) {
    throw phoneUnavailable(phoneId)
  }
  if (!hostInReach(row.last_seen_at, core.clock.now(), core.rules) || !isUp(link))
    throw phoneUnavailable(phoneId)
  return { connection: hosts.to(hostId, address), hostId, serial, fencingNumber }
}

async function readRow(db: Reader, phoneId: string): Promise<Row | null> {
  const rows = await db.$queryRaw<Row[]>`select p.project_id as "projectId", p.status, d.serial, d.link,
    d.fencing_number, h.id as host_id, h.address, h.last_seen_at
    from phones p left join devices d on d.phone_id = p.id left join hosts h on h.id = d.host_id
    where p.id = ${phoneId}`
  return rows[0] ?? null
}
