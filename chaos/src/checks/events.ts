/**
 * Follows the events of each tenant with the SDK during a whole run, and compares them with the database at
 * the end.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Phonerack } from '@phonerack/sdk'
import { withClient } from './database.js'
import type { Tenant } from '../load/load.js'
import type { Finding } from './witnesses.js'

/** Milliseconds within which a follower must have received all events of the database. */
const withinMs = 30_000

export interface Follower {
  tenant: Tenant
  /** IDs of the events that arrived. */
  ids: ReadonlySet<string>
  /** The error that ended the stream; null: the follower still runs. */
  failure: unknown
  stop(): Promise<void>
}

/** Follows the stream from the first event of the tenant. */
export function followEvents(baseUrl: string, tenant: Tenant): Follower {
  const ids = new Set<string>()
  const leaving = new AbortController()
  const client = new Phonerack({ baseUrl, apiKey: tenant.keys['read-only'] })
  const follow = async (): Promise<void> => {
    // With an unknown ID, the stream begins with a gap, followed by all kept events.
    for await (const event of client.events({ lastEventId: 'evt_aaaaaaaaaaaa', signal: leaving.signal }))
      if (event.object === 'event') ids.add(event.id)
  }
  const follower: Follower = {
    tenant,
    ids,
    failure: null,
    async stop() {
      leaving.abort()
      await following
    },
  }
  const following = follow().catch((error: unknown) => {
    if (!leaving.signal.aborted) follower.failure = error
  })
  return follower
}

const sessionsWithoutEvents = `
  SELECT s.id, s.ended_at FROM sessions s WHERE EXISTS (SELECT 1 FROM ledger l WHERE l.session_id = s.id) AND (
    (SELECT COUNT(*) FROM events e WHERE e.phone_id = s.phone_id AND e.type = 'session.started'
      AND e.data->'session'->>'id' = s.id) <> 1
    OR (SELECT COUNT(*) FROM events e WHERE e.phone_id = s.phone_id AND e.type = 'session.ended'
      AND e.data->'session'->>'id' = s.id) <> CASE WHEN s.ended_at IS NULL THEN 0 ELSE 1 END)`

/** All events of a run are kept, so their numbers have no gap. */
const missingNumbers = `
  SELECT last_number, (SELECT COUNT(*) FROM events) AS events FROM event_state
  WHERE last_number <> (SELECT COUNT(*) FROM events)`

/**
 * Checks after the end of all work that every session of the ledger has its events, and every follower has
 * every event of its tenant.
 */
export async function judgeEvents(
  databaseUrl: string,
  followers: readonly Follower[],
): Promise<{ findings: Finding[]; events: number }> {
  const findings: Finding[] = []
  const say = (rule: string, rows: readonly unknown[]): void => {
    if (rows.length > 0) findings.push({ rule, detail: JSON.stringify(rows.slice(0, 5)), at: Date.now() })
  }
  const stored = await withClient(databaseUrl, async (client) => {
    say('a session of the ledger does not have its events', (await client.query(sessionsWithoutEvents)).rows)
    say('the number of an event is missing', (await client.query(missingNumbers)).rows)
    const { rows } = await client.query<{ id: string; project: string }>(
      'SELECT id, project_id AS project FROM events ORDER BY number',
    )
    return rows
  })
  const missing = () =>
    followers.flatMap(({ tenant, ids }) =>
      stored.filter(({ id, project }) => project === tenant.projectId && !ids.has(id)),
    )
  for (const until = performance.now() + withinMs; missing().length > 0 && performance.now() < until;)
    await sleep(200)
  say('a follower missed an event', missing())
  for (const { tenant, failure } of followers)
    if (failure !== null) say('a follower of events ended', [tenant.name, inspect(failure)])
  return { findings, events: stored.length }
}
