/**
 * Folds the agents' heartbeats into the tables. Every replica hears every
 * heartbeat; the first to write it wins, for the others it is no longer newer.
 */
import { heartbeatSchema, newId, subjects, type Heartbeat } from '@phonerack/shared'
import { inTransaction, type Tx } from '../db/database.js'
import { type Core } from '../phones/core.js'
import { deviceChange, isNewer, newDevice, type KnownDevice } from './fold.js'
import { recordLockChange } from './lock-activity.js'

export interface Heartbeats {
  close(): Promise<void>
}

export function listenToHosts(core: Core): Heartbeats {
  const folding = new Map<string, { next: Heartbeat | null; done: Promise<void> }>()

  /** One at a time per host; of those that came meanwhile only the latest counts. */
  const enqueue = (heartbeat: Heartbeat): void => {
    const current = folding.get(heartbeat.host_id)
    if (current) {
      current.next = heartbeat
      return
    }
    const entry = { next: heartbeat as Heartbeat | null, done: Promise.resolve() }
    folding.set(heartbeat.host_id, entry)
    entry.done = (async () => {
      while (entry.next) {
        const next = entry.next
        entry.next = null
        await foldHeartbeat(core, next).catch((error: unknown) =>
          core.log.warn({ err: error, host: next.host_id }, 'a heartbeat could not be folded'),
        )
      }
      folding.delete(heartbeat.host_id)
    })()
  }

  const subscription = core.bus.subscribe(subjects.allHeartbeats, (message, subject) => {
    const parsed = heartbeatSchema.safeParse(message)
    if (!parsed.success) return core.log.warn({ subject }, 'a heartbeat has an unknown form')
    // The broker lets a host publish under its own ID only: the subject is the sender.
    if (subject !== subjects.heartbeat(parsed.data.host_id))
      return core.log.warn({ subject }, 'a heartbeat of another host')
    enqueue(parsed.data)
  })
  const askAll = (): void => {
    announceAll(core).catch((error: unknown) =>
      core.log.warn({ err: error }, 'hosts could not be asked to announce'),
    )
  }
  core.bus.onReconnect(askAll)
  askAll()
  return {
    async close() {
      subscription.unsubscribe()
      await Promise.all([...folding.values()].map((entry) => entry.done))
    },
  }
}

/** Asks every host to say everything now. */
export async function announceAll(core: Core): Promise<void> {
  const hosts = await core.db.host.findMany({ where: { retiredAt: null }, select: { id: true } })
  for (const host of hosts) core.bus.publish(subjects.announce(host.id), {})
}

/** Changes what the heartbeat changes; nothing when the host is unknown, retired, or said something newer. */
export async function foldHeartbeat(core: Core, heartbeat: Heartbeat): Promise<void> {
  const phones = await inTransaction(core.db, async (tx) => {
    await tx.$queryRaw`select 1 from hosts where id = ${heartbeat.host_id} for update`
    const host = await tx.host.findUnique({ where: { id: heartbeat.host_id } })
    const now = core.clock.now()
    if (!host || host.retiredAt || !isNewer(host, heartbeat, now, core.rules.hostLateAfterMs)) return []
    const changed = await foldDevices(tx, heartbeat, host, now)
    await tx.host.update({
      where: { id: host.id },
      data: {
        address: heartbeat.address,
        version: heartbeat.version,
        load: heartbeat.load,
        sequence: BigInt(heartbeat.sequence),
        announcedAt: new Date(heartbeat.at),
        lastSeenAt: now,
      },
    })
    return changed
  })
  for (const phoneId of phones) core.changes.publish(phoneId)
}

/** Phones whose device changed. */
async function foldDevices(
  tx: Tx,
  heartbeat: Heartbeat,
  host: { id: string; sequence: bigint; announcedAt: Date | null; lastSeenAt: Date | null },
  now: Date,
): Promise<string[]> {
  const known = await tx.device.findMany({ where: { hostId: host.id }, orderBy: { id: 'asc' } })
  const reported = new Map(heartbeat.devices.map((status) => [status.serial, status]))
  const phones: string[] = []
  for (const device of known) {
    // The table's check constraint allows no other state.
    const status = reported.get(device.serial) ?? null
    const change = deviceChange(device as KnownDevice, status, host, now)
    reported.delete(device.serial)
    if (!change) continue
    // Only when its state is still what was read: an assignment may have come in between.
    const { count } = await tx.device.updateMany({
      where: { id: device.id, state: device.state },
      data: change,
    })
    if (count === 0) continue
    await recordLockChange(tx, device, status, now)
    if (device.phoneId) phones.push(device.phoneId)
  }
  for (const status of reported.values()) {
    await tx.device.create({ data: { id: newId('device'), hostId: host.id, ...newDevice(status, now) } })
  }
  return phones
}
