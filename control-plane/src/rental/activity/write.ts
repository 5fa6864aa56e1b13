/**
 * Writes activity entries, and isolates entries that the database refuses, so that they do not block the
 * others.
 */
import { isDataFault } from '../../base/db/sql-state.js'
import { type Database } from '../../base/db/database.js'
import { type ActivityEntry } from './types.js'

interface Written {
  /** Entries refused because of their values; a retry would fail too. */
  refused: { entry: ActivityEntry; error: unknown }[]
  /** Entries not written for another reason, and that reason. */
  unwritten: { entries: ActivityEntry[]; error: unknown } | null
}

/**
 * Writes all entries in one statement. When values are at fault, halves the batch until the refused entries
 * are isolated.
 */
export async function writeEntries(db: Database, entries: readonly ActivityEntry[]): Promise<Written> {
  const refused: Written['refused'] = []
  const pending: ActivityEntry[][] = entries.length > 0 ? [[...entries]] : []
  for (let part = pending.shift(); part; part = pending.shift()) {
    try {
      await db.activity.createMany({ data: part })
    } catch (error) {
      if (!isDataFault(error)) return { refused, unwritten: { entries: [part, ...pending].flat(), error } }
      const [entry] = part
      if (part.length === 1 && entry) refused.push({ entry, error })
      else pending.unshift(part.slice(0, part.length >> 1), part.slice(part.length >> 1))
    }
  }
  return { refused, unwritten: null }
}
