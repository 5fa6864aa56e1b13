/** Hosts with the phones in their ports, for the operators' pages. */
import { type Core } from '../../base/core/core.js'
import { type PhoneStatus } from '../../base/core/statuses.js'
import { type DeviceState } from '../../rental/devices/link.js'
import { listHosts } from './hosts.js'

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

/**
 * Milliseconds by which the agent's clock was ahead at its last heartbeat, including the heartbeat's travel
 * time.
 */
const aheadMs = (announced: Date | null, heard: Date | null): number | null =>
  announced === null || heard === null ? null : announced.getTime() - heard.getTime()

/** Hosts that are not retired, oldest first. */
export async function listRacks(core: Core) {
  const hosts = await listHosts(core, false)
  const rows = await core.db.host.findMany({
    where: { retiredAt: null },
    include: {
      devices: {
        include: { phone: { select: { id: true, name: true, status: true, projectId: true } } },
        orderBy: { serial: 'asc' },
      },
    },
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return hosts.map((host) => {
    const row = byId.get(host.id)
    return {
      ...host,
      load: row?.load ?? null,
      clock_ahead_ms: row ? aheadMs(row.announcedAt, row.lastSeenAt) : null,
      ports: (row?.devices ?? []).map((device) => ({
        id: device.id,
        serial: device.serial,
        maker: device.maker,
        model: device.model,
        state: device.state as DeviceState,
        link: device.link,
        drained_at: iso(device.drainedAt),
        maintenance_at: iso(device.maintenanceAt),
        phone: device.phone && {
          id: device.phone.id,
          name: device.phone.name,
          status: device.phone.status as PhoneStatus,
          project_id: device.phone.projectId,
        },
      })),
    }
  })
}
