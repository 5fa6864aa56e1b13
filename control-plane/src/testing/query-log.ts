/** The SQL that this process sends to Postgres while a test watches, on all connections. */
import pg from 'pg'
import { vi } from 'vitest'

export interface SentQuery {
  text: string
  values: unknown[]
  /** The name of a prepared statement; empty for others. */
  name: string
}

export interface QueryLog {
  /** Since the last `clear`, in order. */
  readonly queries: SentQuery[]
  /** Their texts. */
  readonly texts: string[]
  clear(): void
  stop(): void
}

export function watchQueries(): QueryLog {
  const queries: SentQuery[] = []
  // oxlint-disable-next-line typescript/unbound-method -- called with its own client below
  const original = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    queries.push(sentQuery(args))
    return original.apply(this, args) as never
  })
  return {
    queries,
    get texts() {
      return queries.map(({ text }) => text)
    },
    clear: () => queries.splice(0),
    stop: () => spy.mockRestore(),
  }
}

function sentQuery([query, second]: unknown[]): SentQuery {
  const values = (found: unknown): unknown[] => (Array.isArray(found) ? (found as unknown[]) : [])
  if (typeof query === 'string') return { text: query, values: values(second), name: '' }
  if (typeof query !== 'object' || query === null || !('text' in query))
    return { text: '', values: [], name: '' }
  const name = 'name' in query && typeof query.name === 'string' ? query.name : ''
  return { text: String(query.text), values: values('values' in query ? query.values : second), name }
}
