/**
 * Outcomes of installs that began to write, on disk, so that a later query, also after
 * a restart of the agent, gets the same answer and nothing is done twice. Kept for a
 * day. Used by `installs.ts`.
 */
import { z } from 'zod'
import { readJson, writeJson } from '../base/atomic-file.js'

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
  /** An install session on the phone that must be abandoned; null when there is none. */
  session: z.number().nullable(),
  /** Null while it is in progress. */
  outcome: outcomeSchema.nullable(),
  /** Milliseconds since 1970: its last change. */
  at: z.number(),
})
export type InstallRecord = z.infer<typeof recordSchema>

/** An install that was in progress when the agent died, from the journal. */
export interface LeftOpen {
  id: string
  serial: string
  phoneId: string
}

export interface InstallRecords {
  get(id: string): InstallRecord | null
  /** On disk when it returns. */
  save(record: Omit<InstallRecord, 'at'>): void
  /** Sessions left on a phone. */
  leftSessions(serial: string): InstallRecord[]
}

const life = 24 * 3600_000
const most = 1000

/**
 * From here on, unfinished installs are unknown. @throws when the file cannot be read:
 * an install must not be lost silently
 */
export function openInstallRecords(
  path: string,
  leftOpen: readonly LeftOpen[],
  now: () => number = Date.now,
): InstallRecords {
  const records = new Map<string, InstallRecord>()
  for (const record of z.array(recordSchema).parse(readJson(path) ?? []))
    records.set(record.id, { ...record, outcome: record.outcome ?? { kind: 'unknown' } })
  for (const { id, serial, phoneId } of leftOpen) {
    const known = records.get(id)
    const blank = { package: '', wasInstalled: false, uninstalled: false, session: null }
    records.set(id, { ...blank, ...known, id, serial, phoneId, outcome: { kind: 'unknown' }, at: now() })
  }

  function write(): void {
    const oldest = now() - life
    const kept = [...records.values()].sort((a, b) => b.at - a.at)
    for (const [index, { id, at, outcome }] of kept.entries())
      if (outcome !== null && (at < oldest || index >= most)) records.delete(id)
    writeJson(path, [...records.values()])
  }
  if (leftOpen.length > 0) write()

  return {
    get: (id) => records.get(id) ?? null,
    save(record) {
      records.set(record.id, { ...record, at: now() })
      write()
    },
    leftSessions: (serial) =>
      [...records.values()].filter(
        (record) => record.serial === serial && record.session !== null && record.outcome !== null,
      ),
  }
}
