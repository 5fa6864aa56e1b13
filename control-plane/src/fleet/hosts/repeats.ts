/**
 * Records the heartbeat of a host that reports nothing new with one statement. Most heartbeats repeat the
 * last heartbeat while the rows that agreed with it are unchanged. Every other heartbeat is folded
 * (`heartbeats.ts`).
 */
import { type AgentOnBus, type Heartbeat } from '@phonerack/shared'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { type Core } from '../../base/core/core.js'
import { Prisma } from '../../gen/prisma/client.js'
import { instant } from './read-heartbeat.js'
import { isObject, isSame, isSameDevice } from './same-report.js'

/**
 * A value that changes with each change of a device at host `h`: Postgres marks every new version of a row with its
 * transaction (`xmin`).
 */
export const deviceRows = (hostId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(select sum(hashtextextended(d.id, d.xmin::text::bigint))::text from devices d
    where d.host_id = ${hostId})`

interface Folded {
  /** The last message as text, before parsing. */
  message: Record<string, unknown>
  heartbeat: Heartbeat
  /** `deviceRows` from before the comparison with the heartbeat, which changed none of the rows. */
  rows: string | null
}

interface Repeated extends Folded {
  /** The fields that differ from the last heartbeat. */
  now: z.output<typeof changingSchema>
}

/** Agents whose last heartbeat is kept. */
const most = 10_000

const changingSchema = z.object({ sequence: z.number().int().nonnegative(), at: instant, load: z.number() })
const isChanging = (key: string): boolean => key in changingSchema.shape

export class Repeats {
  /** The last heartbeats, by subject. */
  private readonly folded = new LRUCache<string, Folded>({ max: most })

  /** Must be called with a heartbeat that was read completely and changed nothing. */
  remember(subject: string, message: unknown, heartbeat: Heartbeat, rows: string | null): void {
    if (isObject(message)) this.folded.set(subject, { message, heartbeat, rows })
  }

  forget(subject: string): void {
    this.folded.delete(subject)
  }

  /** Null unless the message equals the last message, apart from its time and from proofs of life. */
  match(subject: string, message: unknown): Repeated | null {
    const last = this.folded.get(subject)
    if (!last || !isObject(message) || !isSameReport(last.message, message)) return null
    const { data: now } = changingSchema.safeParse(message)
    return now ? { ...last, now } : null
  }
}

/**
 * True when two messages differ at most in the fields of `changingSchema`, and their devices in valid proofs
 * of life.
 */
export function isSameReport(last: Record<string, unknown>, message: Record<string, unknown>): boolean {
  const [before, after] = [last['devices'], message['devices']]
  return (
    Array.isArray(before) &&
    Array.isArray(after) &&
    before.length === after.length &&
    isSame(last, message, (key) => key === 'devices' || isChanging(key)) &&
    before.every((device: unknown, index) => isSameDevice(device, after[index]))
  )
}

/**
 * Records that the host was heard, if its row and its devices' rows are unchanged since the last heartbeat.
 * `outdated`: another replica has recorded this or a later heartbeat. `differs`: the heartbeat has to be
 * folded.
 */
export async function keepHost(
  { read, clock, rules }: Pick<Core, 'read' | 'clock' | 'rules'>,
  { hostId, joinId }: AgentOnBus,
  { heartbeat, rows, now: { sequence, at, load } }: Repeated,
): Promise<'kept' | 'outdated' | 'differs'> {
  const now = clock.now()
  const lateSince = new Date(now.getTime() - rules.hostLateAfterMs)
  const { address, version, certificate = null, epoch, problem, refuses } = heartbeat
  const { issuer, authorities } = heartbeat.trust ?? { issuer: null, authorities: [] }
  const found = await read<{ kept: boolean; outdated: boolean }>(Prisma.sql`with kept as (
      update hosts h set sequence = ${sequence}, announced_at = ${new Date(at)}, last_seen_at = ${now},
        load = ${load},
        stopping_since = case when ${refuses?.kind ?? null}::text = 'stopping' then h.stopping_since end
      where h.id = ${hostId} and h.join_id is not distinct from ${joinId} and h.retired_at is null
        and h.sequence < ${sequence} and h.last_seen_at > ${lateSince}
        and (h.certificate_fingerprint = ${certificate}
          or (h.certificate_fingerprint is null and h.next_certificate_pem is null))
        and h.address = ${address} and h.version = ${version}
        and h.certificate_authority is not distinct from ${issuer}
        and h.trusted_authorities = ${authorities}::text[]
        and h.protocol_version = ${heartbeat.protocol_version ?? null} and h.report_fault is null
        and h.problem is not distinct from ${problem ?? null}
        and h.refuses is not distinct from ${refuses?.kind ?? null}
        and h.refuses_reason is not distinct from ${refuses?.reason ?? null}
        and current_epoch() = ${epoch ?? null} and ${deviceRows(Prisma.sql`h.id`)} is not distinct from ${rows}
      returning 1)
    select exists (select 1 from kept) as kept, exists (select 1 from hosts h
      where h.id = ${hostId} and h.join_id is not distinct from ${joinId} and h.retired_at is null
        and h.sequence >= ${sequence} and h.announced_at >= ${new Date(at)} and h.last_seen_at >= ${lateSince}
      ) as outdated`)
  if (found[0]?.kept === true) return 'kept'
  return found[0]?.outdated === true ? 'outdated' : 'differs'
}
