/**
 * Stores the outcome of each install that began to write, for a day, on disk. A repeated
 * call gets the same answer even after the agent restarts, and no install runs twice.
 * Used by `installs.ts`.
 */
import { z } from 'zod'
import { readJson, writeJson } from '../../base/atomic-file.js'

const outcomeSchema = z.union([
  z.object({
    kind: z.literal('answered'),
    succeeded: z.boolean(),
    /** A public error code; empty for success. */
    errorCode: z.string(),
    reason: z.string(),
  }),
  z.object({ kind: z.literal('unknown') }),
])
export type Outcome = z.infer<typeof outcomeSchema>

const recordSchema = z.object({
  id: z.string(),
  serial: z.string(),
  phoneId: z.string(),
  package: z.string(),
  wasInstalled: z.boolean(),
  uninstalled: z.boolean(),
  /** An install session on the phone that must be abandoned; null when there is no session. */
  session: z.number().nullable(),
  /** Null while the install is in progress. */
  outcome: outcomeSchema.nullable(),
  /** The time of the record's last change, in milliseconds since 1970. */
  at: z.number(),
})
export type InstallRecord = z.infer<typeof recordSchema>

/** An install that was in progress when the agent died, from the journal. */
interface UnfinishedInstall {
  id: string
  serial: string
  phoneId: string
}

export interface InstallRecords {
  get(id: string): InstallRecord | null
  /** Stores a record. The record is on disk when the call returns. */
  save(record: Omit<InstallRecord, 'at'>): void
  /** Returns the install sessions that must still be abandoned on a phone. */
  leftoverSessions(serial: string): InstallRecord[]
}

const keptMs = 24 * 3600_000
const maxRecords = 1000

/**
 * Marks unfinished installs as unknown. @throws when the file cannot be read: an
 * install must not be lost silently
 */
export function openInstallRecords(
  path: string,
  unfinished: readonly UnfinishedInstall[],
  now: () => number = Date.now,
): InstallRecords {
  const records = new Map<string, InstallRecord>()
  for (const record of z.array(recordSchema).parse(readJson(path) ?? []))
    records.set(record.id, { ...record, outcome: record.outcome ?? { kind: 'unknown' } })
  for (const { id, serial, phoneId } of unfinished) {
    const known = records.get(id)
    const blank = { package: '', wasInstalled: false, uninstalled: false, session: null }
    records.set(id, { ...blank, ...known, id, serial, phoneId, outcome: { kind: 'unknown' }, at: now() })
  }

  function write(): void {
    const oldest = now() - keptMs
    const kept = [...records.values()].sort((a, b) => b.at - a.at)
    for (const [index, { id, at, outcome }] of kept.entries())
      if (outcome !== null && (at < oldest || index >= maxRecords)) records.delete(id)
    writeJson(path, [...records.values()])
  }
  if (unfinished.length > 0) write()

  return {
    get: (id) => records.get(id) ?? null,
    save(record) {
      records.set(record.id, { ...record, at: now() })
      write()
    },
    leftoverSessions: (serial) =>
      [...records.values()].filter(
        (record) => record.serial === serial && record.session !== null && record.outcome !== null,
      ),
  }
}
