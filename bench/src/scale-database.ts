/** Reads counters of Postgres for the bench of many phones, and enrols its devices there. Used by `scale-run.ts` and `events.ts`. */
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { cpuOf, ticksPerSecond } from './load.js'

/** Counters of the whole server since its start. */
export interface Written {
  transactions: number
  /** Rows inserted, updated or deleted. */
  rows: number
  /** The bytes added to the write-ahead log. */
  bytes: number
}

export class ScaleDatabase {
  private constructor(private readonly pool: pg.Pool) {}

  static open(url: string): ScaleDatabase {
    return new ScaleDatabase(new pg.Pool({ connectionString: url, max: 2, query_timeout: 60_000 }))
  }

  close(): Promise<void> {
    return this.pool.end()
  }

  async count(text: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(`select count(*)::int as count from ${text}`)
    return rows[0]?.count ?? 0
  }

  /**
   * Enrols the devices that agents report as new, with the result of a real enrolment. Real enrolments would
   * take minutes with 10,000 devices. The devices' agents confirm them at the next heartbeat.
   */
  async enrolAll(): Promise<void> {
    await this.pool.query(
      `update devices set state = 'free', enrolled_at = now(), freed_at = now() where state = 'unenrolled'`,
    )
  }

  /** Switches the triggers that write events on or off. */
  async switchEvents(isOn: boolean): Promise<void> {
    const { rows } = await this.pool.query<{ table: string; name: string }>(
      `select tgrelid::regclass::text as table, tgname as name from pg_trigger where tgname like '%\\_event'`,
    )
    if (rows.length === 0) throw new Error('no trigger writes events')
    const how = isOn ? 'enable' : 'disable'
    for (const { table, name } of rows)
      await this.pool.query(`alter table ${table} ${how} trigger ${pg.escapeIdentifier(name)}`)
  }

  async written(): Promise<Written> {
    const { rows } = await this.pool.query<{ transactions: number; rows: number; bytes: number }>(
      `select xact_commit::float8 as transactions, (tup_inserted + tup_updated + tup_deleted)::float8 as rows,
        pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes
      from pg_stat_database where datname = current_database()`,
    )
    const [row] = rows
    if (!row) throw new Error('Postgres did not report its counters')
    return row
  }
}

/**
 * The processor time in seconds of the Postgres server with all its processes, including processes that have
 * ended. Linux only.
 */
export async function cpuOfPostgres(postmaster: number): Promise<number> {
  const own = await statOf(postmaster)
  // The ticks of children that have ended.
  let sum = (await cpuOf(postmaster)) + (Number(own[13]) + Number(own[14])) / ticksPerSecond
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // A process may end in the meantime.
    const stat = await statOf(Number(name)).catch(() => [])
    if (stat[1] === String(postmaster)) sum += await cpuOf(Number(name)).catch(() => 0)
  }
  return sum
}

/** The fields of `/proc/PID/stat`, beginning with the state. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
