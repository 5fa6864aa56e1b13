/**
 * Takes what an agent observed on rented phones from its heartbeats. A report that is repeated has no effect,
 * on any replica; a trigger writes the event in the transaction that stores the report first.
 * `report-expiry.ts` deletes them. Called by `heartbeats.ts`. docs/decisions/0276
 */
import { phoneReportSchema, reportsPerHeartbeat, type AgentOnBus, type PhoneReport } from '@phonerack/shared'
import { z } from 'zod'
import { inRawTransaction } from '../../base/db/database.js'
import { type Core } from '../../base/core/core.js'
import { countReports } from '../../base/metrics/instruments.js'
import { instant } from './read-heartbeat.js'
import { isObject } from './same-report.js'

interface ReadReports {
  reports: PhoneReport[]
  /** IDs of all reports, including unreadable reports, since repeating them would not help. */
  ids: string[]
}

/** The first key of the advisory locks of this file. */
const reportsLock = 276

const withId = z.object({ id: z.string().min(1).max(100) })

export function readReports(message: unknown): ReadReports {
  const given = isObject(message) ? message['reports'] : undefined
  const listed: unknown[] = Array.isArray(given) ? given.slice(0, reportsPerHeartbeat) : []
  const reports = listed.flatMap((each) => {
    const { data } = phoneReportSchema.safeParse(each)
    return data && instant.safeParse(data.at).success ? [data] : []
  })
  const ids = listed.flatMap((each) => withId.safeParse(each).data?.id ?? [])
  return { reports, ids }
}

/**
 * The limit of new reports of a phone per minute: each is an event of its project, with deliveries to
 * webhooks.
 */
export const reportsPerMinute = 60

/**
 * Stores the reports of phones that have a device of this host; ignores the others. Returns the IDs of the
 * reports above their phone's limit: the control plane does not acknowledge these, so an honest agent loses
 * none.
 */
export async function takeReports(
  core: Core,
  agent: AgentOnBus,
  reports: readonly PhoneReport[],
): Promise<string[]> {
  if (reports.length === 0) return []
  const rows = JSON.stringify(
    reports.map((report) => ({
      phone_id: report.phone_id,
      serial: report.serial,
      id: report.id,
      ...eventOf(report),
    })),
  )
  const found = await inRawTransaction(core.transact, async (tx) => {
    // The replicas process a host's heartbeats at the same time. With the lock, the next statement sees the
    // reports that other replicas stored.
    await tx.$queryRaw`select 1 as locked from pg_advisory_xact_lock(${reportsLock}::int, hashtext(${agent.hostId}))`
    return tx.$queryRaw<{ id: string; fits: boolean }[]>`with given as (
        select r.* from rows from (jsonb_to_recordset(${rows}::jsonb)
            as (phone_id text, serial text, id text, type text, data jsonb))
          with ordinality as r(phone_id, serial, id, type, data, place)
        join devices d on d.phone_id = r.phone_id and d.serial = r.serial and d.host_id = ${agent.hostId}
        join hosts h on h.id = d.host_id and h.join_id is not distinct from ${agent.joinId}),
      fresh as (
        select g.*, row_number() over (partition by g.phone_id order by g.place) as rank from given g
        where not exists (select 1 from phone_reports p where p.phone_id = g.phone_id and p.id = g.id)),
      ranked as (
        select f.*, f.rank + (select count(*) from phone_reports p where p.phone_id = f.phone_id
            and p.created_at > statement_timestamp() - interval '1 minute') <= ${reportsPerMinute}::int as fits
        from fresh f),
      stored as (
        insert into phone_reports (phone_id, id, type, data)
        select phone_id, id, type, data from ranked where fits order by place
        on conflict do nothing)
      select id, fits from ranked`
  })
  const waiting = found.filter(({ fits }) => !fits).map(({ id }) => id)
  countReports('stored', found.length - waiting.length)
  countReports('waiting', waiting.length)
  return waiting
}

/** The event's type and facts, as `events/json.ts` reads them. */
function eventOf({ at, observed }: PhoneReport): { type: string; data: object } {
  if (observed.kind === 'notification') {
    const { notification: id, package: name } = observed
    return { type: 'notification.posted', data: { notification: { id, package: name, posted_at: at } } }
  }
  const { crash: kind, package: name, pid, exception } = observed
  return { type: 'app.crashed', data: { crash: { at, kind, package: name, pid, exception } } }
}
