/**
 * Reads the database directly and not through a cable. Some rules must always be true, and others once all
 * work has ended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openInvariants } from '@phonerack/e2e/system/invariants.js'
import type { Finding } from './witnesses.js'

/** Calls `found` once per violated rule, until `signal` aborts. Waits while Postgres restarts. */
export async function watchInvariants(
  databaseUrl: string,
  found: (finding: Finding) => void,
  signal: AbortSignal,
): Promise<number> {
  const said = new Set<string>()
  let samples = 0
  while (!signal.aborted) {
    try {
      const invariants = await openInvariants(databaseUrl)
      try {
        while (!signal.aborted) {
          for (const { rule, rows } of await invariants.violations()) {
            if (!said.has(rule)) found({ rule, detail: JSON.stringify(rows.slice(0, 5)), at: Date.now() })
            said.add(rule)
          }
          samples += 1
          await sleep(2000, undefined, { signal }).catch(() => undefined)
        }
      } finally {
        await invariants.close().catch(() => undefined)
      }
    } catch (error) {
      // Postgres is restarting.
      if (!(error instanceof Error)) throw error
      await sleep(500, undefined, { signal }).catch(() => undefined)
    }
  }
  return samples
}

/** Rules for a system in which every phone was deleted. */
const finalRules: Record<string, string> = {
  'an admitted session has not ended': `SELECT id, phone_id FROM sessions WHERE ended_at IS NULL`,
  'a session did not end exactly once': `
    SELECT s.id FROM sessions s WHERE
      (SELECT COUNT(*) FROM ledger l WHERE l.session_id = s.id AND l.kind = 'release') <> 1
      OR (SELECT COUNT(*) FROM ledger l WHERE l.session_id = s.id AND l.kind = 'charge') > 1
      OR (SELECT COALESCE(SUM(reserved_delta), 0) FROM ledger l WHERE l.session_id = s.id) <> 0`,
  'a create ran twice': `
    SELECT metadata->>'chaos' AS chaos, COUNT(*)::int AS phones FROM phones
    WHERE metadata ? 'chaos' GROUP BY 1 HAVING COUNT(*) > 1`,
}

export async function finalFindings(databaseUrl: string, sessions: ReadonlySet<string>): Promise<Finding[]> {
  return withClient(databaseUrl, async (client) => {
    const findings: Finding[] = []
    const say = (rule: string, rows: unknown[]) => {
      if (rows.length > 0) findings.push({ rule, detail: JSON.stringify(rows.slice(0, 5)), at: Date.now() })
    }
    for (const [rule, sql] of Object.entries(finalRules)) say(rule, (await client.query(sql)).rows)
    const known = await client.query<{ id: string }>('SELECT id FROM sessions WHERE id = ANY($1)', [
      [...sessions],
    ])
    const stored = new Set(known.rows.map(({ id }) => id))
    const missing = [...sessions].filter((id) => !stored.has(id))
    say('a session that a client saw is not in the database', missing)
    return findings
  })
}

/** Describes unfinished work, as texts. */
const unsettled: Record<string, string> = {
  'a phone is on its way': `SELECT id, status FROM phones WHERE status IN ('creating', 'starting', 'parking')`,
  'a device is on its way': `SELECT id, state, reason FROM devices WHERE state IN ('wiping', 'provisioning')`,
  'a device has lost its link': `SELECT id, state, link FROM devices WHERE link_lost_at IS NOT NULL`,
  'an install runs': `SELECT id, status FROM installs WHERE status = 'running'`,
  'a recording is on its way': `SELECT id, status FROM recordings WHERE status IN ('recording', 'processing')
    AND NOT EXISTS (SELECT 1 FROM phones p WHERE p.id = recordings.phone_id AND p.status = 'ready')`,
  'an event has no number': `SELECT position, type FROM event_outbox`,
  'a host is not heard': `SELECT id, name FROM hosts WHERE retired_at IS NULL AND last_seen_at < now() - interval '8 seconds'`,
  'a host refuses work': `SELECT id, name, refuses_reason FROM hosts WHERE retired_at IS NULL AND refuses IS NOT NULL`,
}

export async function unsettledWork(databaseUrl: string): Promise<string[]> {
  return withClient(databaseUrl, async (client) => {
    const found: string[] = []
    for (const [what, sql] of Object.entries(unsettled)) {
      const { rows } = await client.query(sql)
      if (rows.length > 0) found.push(`${what}: ${JSON.stringify(rows.slice(0, 5))}`)
    }
    return found
  })
}

export async function withClient<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
