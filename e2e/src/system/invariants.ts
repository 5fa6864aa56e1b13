/**
 * Invariants that are true after any crash. They are read from the database, not through the API, which could
 * be wrong.
 */
import pg from 'pg'

export interface Violation {
  rule: string
  rows: unknown[]
}

const rules: Record<string, string> = {
  'a reservation stands without an open session': `
    SELECT p.id FROM projects p
    WHERE p.reserved_micros <> (
      SELECT COALESCE(SUM(s.reserved_micros), 0) FROM sessions s WHERE s.project_id = p.id AND s.ended_at IS NULL)`,
  'a balance is not what its ledger says': `
    SELECT p.id FROM projects p
    WHERE NOT EXISTS (
      SELECT 1 FROM ledger l WHERE l.project_id = p.id
      HAVING COALESCE(SUM(l.balance_delta), 0) = p.balance_micros
      AND COALESCE(SUM(l.reserved_delta), 0) = p.reserved_micros)`,
  'a session was charged twice': `
    SELECT session_id FROM ledger WHERE kind = 'charge' GROUP BY session_id HAVING COUNT(*) > 1`,
  'a phone has two open sessions': `
    SELECT phone_id FROM sessions WHERE ended_at IS NULL GROUP BY phone_id HAVING COUNT(*) > 1`,
  'a session is open on a phone that does not run': `
    SELECT s.id, p.status FROM sessions s JOIN phones p ON p.id = s.phone_id
    WHERE s.ended_at IS NULL AND p.status NOT IN ('creating', 'starting', 'ready')`,
  'a phone runs without an open session': `
    SELECT p.id FROM phones p WHERE p.status IN ('creating', 'starting', 'ready')
    AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.phone_id = p.id AND s.ended_at IS NULL)`,
  'a phone that keeps apps and data holds no device': `
    SELECT p.id, p.status FROM phones p
    WHERE p.status IN ('starting', 'ready', 'parking', 'parked')
    AND (SELECT COUNT(*) FROM devices d WHERE d.phone_id = p.id) <> 1`,
  'a device is held by a phone that is gone': `
    SELECT d.id, d.state, p.status FROM devices d JOIN phones p ON p.id = d.phone_id
    WHERE p.status IN ('failed', 'deleted')`,
  'a session cost more than it reserved': `
    SELECT id FROM sessions WHERE cost_micros > reserved_micros`,
}

const stuck = `SELECT id, status FROM phones WHERE status IN ('creating', 'starting', 'parking')`

/** Opens a separate connection. The caller must call `close` at the end. */
export async function openInvariants(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  // A lost connection also rejects the pending query. Without a listener, the event would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return {
    /** Every violated invariant. */
    async violations(): Promise<Violation[]> {
      const found: Violation[] = []
      for (const [rule, sql] of Object.entries(rules)) {
        const { rows } = await client.query(sql)
        if (rows.length > 0) found.push({ rule, rows })
      }
      return found
    },
    /** Phones that are changing to another status. */
    async underway(): Promise<unknown[]> {
      return (await client.query<{ id: string; status: string }>(stuck)).rows
    },
    close: () => client.end(),
  }
}
