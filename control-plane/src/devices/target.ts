/** Where a request into a phone goes: one read of the phone, its device and its host, and some more while it is out of reach. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, ownNow, subjects } from '@phonerack/shared'
import { type Reader } from '../db/database.js'
import { controlOutOfReach } from '../db/out-of-reach.js'
import { controlOf, phoneControlled } from '../handoffs/records.js'
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

/**
 * Milliseconds that a request waits for a phone that is out of reach: a cable that was touched, or a host that says
 * something every two seconds and was late once, is no error to its client.
 */
const waits = { total: 2500, pause: 100 }

interface Row {
  projectId: string
  status: PhoneStatus
  serial: string | null
  link: string | null
  fencing_number: bigint | null
  host_id: string | null
  address: string | null
  last_seen_at: Date | null
  control_id: string | null
  control_until: Date | null
}

export const phoneUnavailable = (phoneId: string): ApiError =>
  new ApiError('phone_unavailable', { details: { phone: phoneId } })

/**
 * For reads, and for what changes nothing that a person sees.
 * @throws ApiError phone_not_found, phone_not_allowed, the conflict of a phone that is
 *   not ready, phone_unavailable when its device or host stays out of reach
 */
export const readyTarget = (
  core: Core,
  hosts: HostClients,
  caller: Caller,
  phoneId: string,
): Promise<ReadyTarget> => targetOf(core, hosts, { caller, phoneId, isWrite: false })

/**
 * For requests that act on the phone as a hand would.
 * @throws ApiError as `readyTarget`, and phone_controlled while a person controls the phone
 */
export const writableTarget = (
  core: Core,
  hosts: HostClients,
  caller: Caller,
  phoneId: string,
): Promise<ReadyTarget> => targetOf(core, hosts, { caller, phoneId, isWrite: true })

interface Asking {
  caller: Caller
  phoneId: string
  isWrite: boolean
}

async function targetOf(core: Core, hosts: HostClients, asking: Asking): Promise<ReadyTarget> {
  const until = ownNow() + waits.total
  for (let isFirst = true; ; isFirst = false) {
    const now = core.clock.now()
    const { serial, fencingNumber, hostId, address, link, lastSeenAt } = await readyPlace(core, asking, now)
    const isHeard = hostInReach(lastSeenAt, now, core.rules)
    if (isHeard && isUp(link)) return { connection: hosts.to(hostId, address), hostId, serial, fencingNumber }
    if (ownNow() + waits.pause > until) {
      const where = { phone: asking.phoneId, serial, link, host: hostId, seen: lastSeenAt }
      core.log.info(where, 'a phone is out of reach')
      throw phoneUnavailable(asking.phoneId)
    }
    if (isFirst && !isHeard) core.bus.publish(subjects.announce(hostId), {})
    await sleep(waits.pause)
  }
}

/** Where a phone stands to which the request may go, whether or not it is in reach. @throws ApiError as `readyTarget` and `writableTarget` */
async function readyPlace(core: Core, { caller, phoneId, isWrite }: Asking, now: Date) {
  const row = permitted(
    caller,
    phoneId,
    await readRow(core.db, phoneId, now).catch((error: unknown) => {
      throw controlOutOfReach(error, { phone: phoneId })
    }),
  )
  const conflict = readinessConflict(phoneId, row.status)
  if (conflict) throw conflict
  const { control_id: id, control_until: expiresAt } = row
  if (isWrite && id !== null && expiresAt !== null) throw phoneControlled(phoneId, { id, expiresAt }, now)
  const { serial, link, fencing_number: fencingNumber, host_id: hostId, address } = row
  if (serial === null || link === null || fencingNumber === null || hostId === null || address === null) {
    throw phoneUnavailable(phoneId)
  }
  return { serial, link, fencingNumber, hostId, address, lastSeenAt: row.last_seen_at }
}

async function readRow(db: Reader, phoneId: string, now: Date): Promise<Row | null> {
  const rows = await db.$queryRaw<
    Row[]
  >`/* prepared */ select p.project_id as "projectId", p.status, d.serial, d.link,
    d.fencing_number, h.id as host_id, h.address, h.last_seen_at, c.id as control_id, c.expires_at as control_until
    from phones p left join devices d on d.phone_id = p.id left join hosts h on h.id = d.host_id ${controlOf(now)}
    where p.id = ${phoneId}`
  return rows[0] ?? null
}
