/**
 * Takes what an agent observed on rented phones from its heartbeats. A report that is repeated has no effect, on any replica;
 * a trigger writes the event in the transaction of the first one. Called by `heartbeats.ts`. docs/decisions/0276
 */
import { phoneReportSchema, reportsPerHeartbeat, type AgentOnBus, type PhoneReport } from '@phonerack/shared'
import { z } from 'zod'
import { inRawTransaction } from '../db/database.js'
import { type Core } from '../core/core.js'
import { instant } from './read-heartbeat.js'
import { isObject } from './same-report.js'

export interface ReadReports {
  reports: PhoneReport[]
  /** IDs of all reports, also of those that cannot be read: repeating them would not help. */
  ids: string[]
}

const withId = z.object({ id: z.string().min(1).max(100) })

/** Pure. */
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

/** Stores the reports of phones that have a device of this host; ignores the others. */
export async function takeReports(
  core: Core,
  agent: AgentOnBus,
  reports: readonly PhoneReport[],
): Promise<void> {
  if (reports.length === 0) return
  const rows = JSON.stringify(
    reports.map((report) => ({
      ...{ phone_id: report.phone_id, serial: report.serial, id: report.id },
      ...eventOf(report),
    })),
  )
  await inRawTransaction(
    core.transact,
    (tx) => tx.$executeRaw`insert into phone_reports (phone_id, id, type, data)
      select r.phone_id, r.id, r.type, r.data
      from rows from (jsonb_to_recordset(${rows}::jsonb)
          as (phone_id text, serial text, id text, type text, data jsonb))
        with ordinality as r(phone_id, serial, id, type, data, place)
      join devices d on d.phone_id = r.phone_id and d.serial = r.serial and d.host_id = ${agent.hostId}
      join hosts h on h.id = d.host_id and h.join_id is not distinct from ${agent.joinId}
      order by r.place
      on conflict do nothing`,
  )
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

/** Deletes the reports of phones without a device: no agent repeats them. */
export async function expireReports(core: Core): Promise<void> {
  await core.db.$executeRaw`delete from phone_reports r
    where not exists (select 1 from devices d where d.phone_id = r.phone_id)`
}
