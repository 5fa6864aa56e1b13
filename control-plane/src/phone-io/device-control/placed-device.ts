/** The context of jobs that call hosts, and the lookup of a device's host. */
import { type Assignment } from '@phonerack/proto'
import { addressOf } from '../../links/host-calls/address-of.js'
import { type HostClients, type HostConnection } from '../../links/host-calls/clients.js'
import { hostInReach } from '../../rental/devices/reach.js'
import { tenantOf } from '../../rental/devices/tenant.js'
import { type DeviceState } from '../../rental/devices/link.js'
import { type Core } from '../../base/core/core.js'
import { Prisma } from '../../gen/prisma/client.js'
import { type HostSlots } from '../../base/queue/host-slots.js'

export interface JobContext {
  core: Core
  hosts: HostClients
  /** Aborts when the process stops: calls to hosts are aborted, and the jobs run again later. */
  stopping: AbortSignal
  /** The slots of the pool that runs the job. */
  slots: HostSlots
}

export interface PlacedDevice {
  id: string
  hostId: string
  serial: string
  state: DeviceState
  link: string
  phoneId: string | null
  /** The tenant of the phone that holds it; empty: no phone does. */
  tenant: string
  /** The phone ran before, so its start must find its data. */
  hasData: boolean
  enrolledAt: Date | null
  /** Moved, and not taken over by this host yet. */
  adoptingSince: Date | null
  fencingNumber: bigint
  /** Null while the host is late or has not sent an address. */
  connection: HostConnection | null
}

interface Row {
  id: string
  hostId: string
  serial: string
  /** The table's check constraint allows no other state. */
  state: DeviceState
  link: string
  phoneId: string | null
  projectId: string | null
  hasData: boolean | null
  enrolledAt: Date | null
  adoptingSince: Date | null
  fencingNumber: bigint
  lastSeenAt: Date | null
  address: string | null
  joinId: string | null
  certificateFingerprint: string | null
  nextCertificateFingerprint: string | null
}

export async function placeDevice(
  { core, hosts }: Pick<JobContext, 'core' | 'hosts'>,
  by: { id: string } | { phoneId: string },
): Promise<PlacedDevice | null> {
  const which = 'id' in by ? Prisma.sql`d.id = ${by.id}` : Prisma.sql`d.phone_id = ${by.phoneId}`
  const [row] = await core.read<Row>(Prisma.sql`select d.id, d.host_id as "hostId", d.serial, d.state, d.link,
      d.phone_id as "phoneId", p.project_id as "projectId", p.has_data as "hasData", d.enrolled_at as "enrolledAt",
      d.adopting_since as "adoptingSince", d.fencing_number as "fencingNumber", h.last_seen_at as "lastSeenAt", h.address,
      h.join_id as "joinId", h.certificate_fingerprint as "certificateFingerprint",
      h.next_certificate_fingerprint as "nextCertificateFingerprint"
    from devices d join hosts h on h.id = d.host_id left join phones p on p.id = d.phone_id where ${which}`)
  if (!row) return null
  const { id, hostId, serial, state, link, phoneId, projectId, enrolledAt, adoptingSince, fencingNumber } =
    row
  const address = addressOf(row)
  const inReach = hostInReach(row.lastSeenAt, core.clock.now(), core.rules)
  return {
    id,
    hostId,
    serial,
    state,
    link,
    phoneId,
    enrolledAt,
    adoptingSince,
    fencingNumber,
    tenant: projectId === null ? '' : tenantOf(projectId),
    hasData: row.hasData ?? false,
    connection: inReach && address !== null ? hosts.to(hostId, address) : null,
  }
}

/** Proves to the agent that the device belongs to this phone under this fencing number. */
export const assignmentFor = (
  { serial, fencingNumber, tenant, hasData }: PlacedDevice,
  phoneId: string,
): Assignment => ({ phoneId, tenant, serial, hasData, fencingNumber, requestId: '' })
