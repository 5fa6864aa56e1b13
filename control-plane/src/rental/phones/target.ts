/**
 * Finds the device and host of a request into a phone with one read of the database, and repeats
 * the read while the phone is unreachable.
 */
import { ApiError, ownNow, subjects, onAbort } from '@phonerack/shared'
import { Prisma } from '../../gen/prisma/client.js'
import { controlOutOfReach } from '../../base/core/out-of-reach.js'
import { type HostClients, type HostConnection } from '../../links/host-calls/clients.js'
import { permitted } from './access.js'
import { readinessConflict } from './conflicts.js'
import { type Core } from '../../base/core/core.js'
import { isUp } from '../devices/link.js'
import { placementColumns, type PossiblePlacement } from '../devices/placement.js'
import { hostInReach } from '../devices/reach.js'
import { addressOf } from '../../links/host-calls/address-of.js'
import { type Caller } from '../../base/core/caller.js'
import { type PhoneStatus } from '../../base/core/statuses.js'
import { controlOf, phoneControlled } from './control.js'

export interface Target {
  connection: HostConnection
  serial: string
  fencingNumber: bigint
}

/** A ready phone with its device's host. */
export interface ReadyTarget extends Target {
  hostId: string
}

/**
 * Milliseconds that a request waits for an unreachable phone. A loose cable, or one late heartbeat
 * of a host that sends them every two seconds, must not be an error for the client.
 */
const waits = { total: 2500, firstPause: 100, longestPause: 800 }

interface Row extends PossiblePlacement {
  projectId: string
  status: PhoneStatus
  controlId: string | null
  controlUntil: Date | null
}

/** The error when the agent of the phone's host refuses starts and wipes. docs/decisions/0217 */
export const hostRefusesWork = (phoneId: string): ApiError =>
  new ApiError('phone_unavailable', {
    message: 'The host of the phone takes no new work now, so nothing was done.',
    details: { phone: phoneId },
  })

export const phoneUnavailable = (phoneId: string): ApiError =>
  new ApiError('phone_unavailable', { details: { phone: phoneId } })

/**
 * Finds the target of a read, or of a call that does not change the screen.
 * @throws ApiError phone_not_found, phone_not_allowed, the conflict of a phone that is not ready,
 * phone_unavailable when the device or host stays unreachable
 */
export const readyTarget = (
  core: Core,
  hosts: HostClients,
  caller: Caller,
  phoneId: string,
  signal?: AbortSignal,
): Promise<ReadyTarget> => targetOf(core, hosts, { caller, phoneId, isWrite: false, signal })

/**
 * Finds the target of a request that controls the phone.
 * @throws ApiError like `readyTarget`, and phone_controlled while a person controls the phone, unless a
 * person sent the request
 */
export const writableTarget = (
  core: Core,
  hosts: HostClients,
  caller: Caller,
  phoneId: string,
  signal?: AbortSignal,
): Promise<ReadyTarget> => targetOf(core, hosts, { caller, phoneId, isWrite: true, signal })

/**
 * Finds the target of pictures that the page requests automatically. They are refused to other people too
 * while a person controls the phone.
 * @throws ApiError like `writableTarget`
 */
export const unattendedTarget = (
  core: Core,
  hosts: HostClients,
  caller: Caller,
  phoneId: string,
  signal?: AbortSignal,
): Promise<ReadyTarget> =>
  targetOf(core, hosts, { caller: { ...caller, isPerson: false }, phoneId, isWrite: true, signal })

interface Asking {
  caller: Caller
  phoneId: string
  isWrite: boolean
  /** Ends the wait when the client has disconnected. */
  signal: AbortSignal | undefined
}

async function targetOf(core: Core, hosts: HostClients, asking: Asking): Promise<ReadyTarget> {
  const until = ownNow() + waits.total
  const first = await readTarget(core, hosts, asking)
  if ('target' in first) return first.target
  if (!first.isHeard) core.bus.publish(subjects.announce(first), {})
  for (let pause = waits.firstPause; ; pause = Math.min(2 * pause, waits.longestPause)) {
    const left = Math.max(0, until - ownNow())
    // Listen before reading, so that no change is missed. A heartbeat that changes the device ends the pause.
    const listening = new AbortController()
    const stop = (): void => listening.abort()
    const forget = asking.signal && onAbort(asking.signal, stop)
    const change = core.changes.next(asking.phoneId, Math.min(pause, left), listening.signal)
    try {
      const seen = await readTarget(core, hosts, asking)
      if ('target' in seen) return seen.target
      if (left === 0 || listening.signal.aborted) {
        core.log.info(seen, 'a phone is unreachable')
        throw phoneUnavailable(asking.phoneId)
      }
      await change
    } finally {
      forget?.()
      stop()
    }
  }
}

type Seen =
  | { target: ReadyTarget }
  | { phone: string; serial: string; link: string; hostId: string; joinId: string | null; isHeard: boolean }

/**
 * Reads once.
 * @throws ApiError like `readyPlace`
 */
async function readTarget(core: Core, hosts: HostClients, asking: Asking): Promise<Seen> {
  const now = core.clock.now()
  const { serial, link, fencingNumber, hostId, address, lastSeenAt } = await readyPlace(core, asking, now)
  const isHeard = hostInReach(lastSeenAt, now, core.rules)
  return isHeard && isUp(link)
    ? { target: { connection: hosts.to(hostId, address), hostId, serial, fencingNumber } }
    : { phone: asking.phoneId, serial, link, hostId, joinId: address.joinId ?? null, isHeard }
}

/**
 * Returns the place of a phone to which the request may go, reachable or not.
 * @throws ApiError like `readyTarget` and `writableTarget`
 */
async function readyPlace(core: Core, { caller, phoneId, isWrite }: Asking, now: Date) {
  const row = permitted(
    caller,
    phoneId,
    await readRow(core, phoneId, now).catch((error: unknown) => {
      throw controlOutOfReach(error, { phone: phoneId })
    }),
  )
  const conflict = readinessConflict(phoneId, row.status)
  if (conflict) throw conflict
  const { controlId: id, controlUntil: expiresAt } = row
  const isKeptAway = isWrite && caller.isPerson !== true
  if (isKeptAway && id !== null && expiresAt !== null) throw phoneControlled(phoneId, { id, expiresAt }, now)
  const { serial, link, fencingNumber, hostId, lastSeenAt } = row
  const address = addressOf(row)
  if (serial === null || link === null || fencingNumber === null || hostId === null || address === null) {
    throw phoneUnavailable(phoneId)
  }
  return { serial, link, fencingNumber, hostId, address, lastSeenAt }
}

async function readRow({ read }: Core, phoneId: string, now: Date): Promise<Row | null> {
  const rows = await read<Row>(Prisma.sql`select p.project_id as "projectId", p.status, ${placementColumns},
    c.id as "controlId", c.expires_at as "controlUntil"
    from phones p left join devices d on d.phone_id = p.id left join hosts h on h.id = d.host_id ${controlOf(now)}
    where p.id = ${phoneId}`)
  return rows[0] ?? null
}
