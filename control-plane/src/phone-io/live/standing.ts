/**
 * Decides whether a live link can be used now, and to which phone it leads, with one read of the link and its
 * relations.
 */
import { type Rules } from '../../base/config/config.js'
import { type HostAddress } from '../../links/host-calls/clients.js'
import { type Reader } from '../../base/db/database.js'
import { isUp } from '../../rental/devices/link.js'
import { addressInReach, placementColumns, type PossiblePlacement } from '../../rental/devices/placement.js'
import { Prisma } from '../../gen/prisma/client.js'
import { closings, type Closing, type HandoffState } from './page/wire.js'
import { type EndReason, type PhoneStatus } from '../../base/core/statuses.js'
import { joined, standing, type StoredStatus } from '../../rental/phones/control.js'

export interface LinkRow extends PossiblePlacement {
  projectId: string
  /** The project's owner, whose turn it is in `db/owner-gate.ts`. */
  ownerId: string
  phoneId: string
  phoneName: string
  /** The key that created the link, or the user. */
  creatorId: string
  /** Null: a user of the console created the link. */
  keyHash: string | null
  /** Whether the key is revoked, or the user is signed out or lacks the role. */
  isRevoked: boolean
  control: boolean
  expiresAt: Date
  sessionEndReason: EndReason | null
  /** The session's begin; durations are in seconds. */
  startedAt: Date
  idleTimeout: number
  maxDuration: number
  lastActiveAt: Date | null
  phoneStatus: PhoneStatus
  isFrozen: boolean
  isPaused: boolean
  /** The link's hand-over; null for a link without a hand-over. */
  handoffId: string | null
  handoffStatus: StoredStatus | null
  handoffMessage: string | null
  /**
   * For a link of the console: when the take-over by its user ends, or the take-over after an agent's request, which any
   * member may handle. Null: no take-over.
   */
  takenUntil: Date | null
}

export interface Place extends HostAddress {
  serial: string
  fencingNumber: bigint
  hostId: string
}

/** The target of a link, or the reason why it cannot be used now (`isWorthRetrying`) or permanently. */
export type Standing = { place: Place } | { closing: Closing }

/** Returns null for an unknown link. */
export async function readLink(db: Reader, tokenHash: string, now: Date): Promise<LinkRow | null> {
  const rows = await readLinks(db, now, Prisma.sql`l.token_hash = ${tokenHash}`)
  return rows[0] ?? null
}

/**
 * The longest-lived link of each phone, as a candidate for `standingOf`. The query starts from the open
 * sessions, so that its cost does not grow with the links in the table.
 */
export async function readLongestLinks(db: Reader, now: Date): Promise<LinkRow[]> {
  const longest = await db.$queryRaw<
    { tokenHash: string }[]
  >`select distinct on (phone_id) token_hash as "tokenHash"
    from (
      select s.phone_id, plain.token_hash, plain.expires_at from sessions s cross join lateral (
        select l.token_hash, l.expires_at from live_links l join api_keys k on k.id = l.key_id
        where l.session_id = s.id and l.handoff_id is null and l.expires_at > ${now} and k.revoked_at is null
        order by l.expires_at desc limit 1) plain
      where s.ended_at is null
      union all
      select s.phone_id, l.token_hash, l.expires_at from sessions s
        join handoffs f on f.phone_id = s.phone_id and f.session_id = s.id and f.status in ('open', 'taken')
        join live_links l on l.handoff_id = f.id join api_keys k on k.id = l.key_id
      where s.ended_at is null and l.expires_at > ${now} and k.revoked_at is null
    ) links order by phone_id, expires_at desc`
  if (longest.length === 0) return []
  return readLinks(db, now, Prisma.sql`l.token_hash = any(${longest.map(({ tokenHash }) => tokenHash)})`)
}

/** Sign-ins that have ended are deleted with their links; roles change at any time. */
const isOfMember = Prisma.sql`exists (select 1 from users n
  left join members m on m.project_id = l.project_id and m.user_id = n.id
  where n.id = u.user_id and u.expires_at > now()
    and (n.is_operator or m.role in ('owner', 'member') or (m.role = 'viewer' and not l.control)))`

/** The take-over `t` that the user of the link `l` holds; see `LinkRow.takenUntil`. */
const heldBy = (now: Date): Prisma.Sql => Prisma.sql`left join lateral (select f.expires_at from ${joined}
    where l.control and l.user_session_id is not null
      and f.phone_id = l.phone_id and f.status = 'taken' and ${standing(now)}
      and (f.key_id is not null or u.user_id = (select o.user_id from user_sessions o where o.id = l.user_session_id))
    ) t on true`

const readLinks = (db: Reader, now: Date, which: Prisma.Sql): Promise<LinkRow[]> =>
  db.$queryRaw<
    LinkRow[]
  >`select l.project_id as "projectId", j.owner_id as "ownerId", l.phone_id as "phoneId",
    p.name as "phoneName", coalesce(l.key_id, u.user_id, '') as "creatorId", k.secret_hash as "keyHash",
    case when l.key_id is null then not ${isOfMember} else k.revoked_at is not null end as "isRevoked",
    l.control, l.expires_at as "expiresAt", s.end_reason as "sessionEndReason", s.started_at as "startedAt",
    s.idle_timeout as "idleTimeout", s.max_duration as "maxDuration", p.last_active_at as "lastActiveAt",
    p.status as "phoneStatus",
    j.frozen_at is not null as "isFrozen",
    coalesce((select paused_at is not null from service_state), false) as "isPaused",
    ${placementColumns}, f.id as "handoffId", f.status as "handoffStatus", f.message as "handoffMessage",
    t.expires_at as "takenUntil"
    from live_links l join phones p on p.id = l.phone_id join sessions s on s.id = l.session_id
    join projects j on j.id = l.project_id left join api_keys k on k.id = l.key_id
    left join user_sessions u on u.id = l.user_session_id
    left join devices d on d.phone_id = l.phone_id left join hosts h on h.id = d.host_id
    left join handoffs f on f.id = l.handoff_id ${heldBy(now)}
    where ${which}`

const closingOf: Record<EndReason, Closing> = {
  parked: closings.parked,
  idle: closings.parked,
  max_duration: closings.parked,
  deleted: closings.deleted,
  failed: closings.failed,
  unavailable: closings.unavailable,
  project_frozen: closings.frozen,
  service_paused: closings.paused,
}

/** Returns the hand-over on the link's page; null for a link without a hand-over. Pure. */
export const handoffOf = ({ handoffMessage: message, handoffStatus }: LinkRow): HandoffState | null =>
  message === null ? null : { message, isTaken: handoffStatus === 'taken' }

/** Returns the link's target, or the reason to close the view. Pure. */
export function standingOf(row: LinkRow, now: Date, rules: Pick<Rules, 'hostLateAfterMs'>): Standing {
  if (row.isRevoked) return { closing: closings.unknown }
  const { handoffStatus: handoff } = row
  if (handoff === 'done' || handoff === 'declined') return { closing: closings.handedBack }
  if (handoff === 'withdrawn') return { closing: closings.withdrawn }
  if (row.expiresAt <= now) return { closing: closings.expired }
  if (row.sessionEndReason !== null) return { closing: closingOf[row.sessionEndReason] }
  // The job that parks the project's phones has possibly not run yet.
  if (row.isFrozen) return { closing: closings.frozen }
  if (row.isPaused) return { closing: closings.paused }
  if (row.phoneStatus !== 'ready') return { closing: closings.restarting }
  const { serial, link, fencingNumber, hostId } = row
  const address = addressInReach(row, now, rules)
  if (serial === null || link === null || fencingNumber === null || hostId === null || address === null)
    return { closing: closings.away }
  if (!isUp(link)) return { closing: closings.away }
  return { place: { serial, fencingNumber, hostId, ...address } }
}
