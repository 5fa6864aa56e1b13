/** The context of jobs that call hosts, and the lookup of a device's host. */
import { type HostClients, type HostConnection } from '../../links/host-calls/clients.js'
import { addressInReach, placementColumns, type PlacementRow } from '../../rental/devices/placement.js'
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
  /** The tenant of the phone that holds the device; empty if no phone holds it. */
  tenant: string
  /** The phone ran before, so a start must find its data. */
  hasData: boolean
  enrolledAt: Date | null
  /** The time at which the device moved to this host, which has not taken it over yet. */
  adoptingSince: Date | null
  fencingNumber: bigint
  /** Null while the host is late or has not sent an address. */
  connection: HostConnection | null
}

interface Row extends PlacementRow {
  id: string
  /** The table's check constraint allows no other state. */
  state: DeviceState
  phoneId: string | null
  projectId: string | null
  hasData: boolean | null
  enrolledAt: Date | null
  adoptingSince: Date | null
}

export async function placeDevice(
  { core, hosts }: Pick<JobContext, 'core' | 'hosts'>,
  by: { id: string } | { phoneId: string },
): Promise<PlacedDevice | null> {
  const which = 'id' in by ? Prisma.sql`d.id = ${by.id}` : Prisma.sql`d.phone_id = ${by.phoneId}`
  const [row] =
    await core.read<Row>(Prisma.sql`select d.id, d.state, d.phone_id as "phoneId", p.project_id as "projectId",
      p.has_data as "hasData", d.enrolled_at as "enrolledAt", d.adopting_since as "adoptingSince", ${placementColumns}
    from devices d join hosts h on h.id = d.host_id left join phones p on p.id = d.phone_id where ${which}`)
  if (!row) return null
  const { id, hostId, serial, state, link, phoneId, projectId, enrolledAt, adoptingSince, fencingNumber } =
    row
  const address = addressInReach(row, core.clock.now(), core.rules)
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
    connection: address && hosts.to(hostId, address),
  }
}
