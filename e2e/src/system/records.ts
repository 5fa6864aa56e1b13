/**
 * Phones as the service and the host agent recorded them, read from the database and the agent's journal and
 * not through the API.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { databaseUrl } from './database.js'
import type { System } from './system.js'

export interface SessionRecord {
  id: string
  started_at: Date
  ended_at: Date | null
  idle_timeout: number
  max_duration: number
  /** The amount in micro-dollars. */
  reserved_micros: string
}

export interface Records {
  /** Every phone with this value of the metadata `marker`, even a deleted phone. */
  phonesWith(marker: string): Promise<string[]>
  /** The entries, oldest first. */
  sessionsOf(phone: string): Promise<SessionRecord[]>
  /** Batches of actions that the host agent began on the phone. */
  batchesOn(phone: string): Promise<number>
  freeDevices(): Promise<number>
  close(): Promise<void>
}

const beginSchema = z.object({ phoneId: z.string(), kind: z.string() })

export async function openRecords(system: System): Promise<Records> {
  const pool = new pg.Pool({ connectionString: await databaseUrl(system), max: 4 })
  // At the end of a failed test, the database stops before the pool.
  pool.on('error', () => undefined)
  return {
    async phonesWith(marker) {
      const text = `select id from phones where metadata ->> 'marker' = $1 order by id`
      return (await pool.query<{ id: string }>(text, [marker])).rows.map(({ id }) => id)
    },
    async sessionsOf(phone) {
      const text = `select id, started_at, ended_at, idle_timeout, max_duration, reserved_micros from sessions
        where phone_id = $1 order by started_at`
      return (await pool.query<SessionRecord>(text, [phone])).rows
    },
    async batchesOn(phone) {
      const journal = await readFile(path.join(system.dir, 'host-agent', 'journal.jsonl'), 'utf8')
      // The last line can be incomplete.
      const lines = journal.split('\n').slice(0, -1)
      const begun = lines.flatMap((line) => beginSchema.safeParse(JSON.parse(line)).data ?? [])
      return begun.filter(({ phoneId, kind }) => phoneId === phone && kind === 'batch').length
    },
    async freeDevices() {
      return (await pool.query(`select id from devices where state = 'free'`)).rows.length
    },
    close: () => pool.end(),
  }
}
