/** The context of jobs that call hosts, and the lookup of a device's host. */
import { type Assignment } from '@phonerack/proto'
import { addressOf } from '../host-calls/address-of.js'
import { type HostClients, type HostConnection } from '../host-calls/clients.js'
import { hostInReach } from '../devices/reach.js'
import { tenantOf } from '../devices/tenant.js'
import { type DeviceState } from '../devices/link.js'
import { type Core } from '../core/core.js'
import { type HostSlots } from '../queue/host-slots.js'

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

export async function placeDevice(
  { core, hosts }: Pick<JobContext, 'core' | 'hosts'>,
  by: { id: string } | { phoneId: string },
): Promise<PlacedDevice | null> {
  const device = await core.db.device.findUnique({
    where: by,
    include: { host: true, phone: { select: { projectId: true, hasData: true } } },
  })
  if (!device) return null
  const { host, phone } = device
  const address = addressOf(host)
  const inReach = hostInReach(host.lastSeenAt, core.clock.now(), core.rules)
  return {
    ...device,
    tenant: phone ? tenantOf(phone.projectId) : '',
    hasData: phone?.hasData ?? false,
    // The table's check constraint allows no other state.
    state: device.state as DeviceState,
    connection: inReach && address !== null ? hosts.to(host.id, address) : null,
  }
}

/** Proves to the agent that the device belongs to this phone under this fencing number. */
export const assignmentFor = (
  { serial, fencingNumber, tenant, hasData }: PlacedDevice,
  phoneId: string,
): Assignment => ({ phoneId, tenant, serial, hasData, fencingNumber, requestId: '' })
