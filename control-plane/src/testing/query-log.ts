/** Records the SQL that this process sends to Postgres while a test watches, on all connections. */
import pg from 'pg'
import { vi } from 'vitest'

export interface SentQuery {
  text: string
  values: unknown[]
  /** The name of a prepared statement; empty for other statements. */
  name: string
  /** The number of the connection. */
  connection: number
}

export interface QueryLog {
  /** The statements since the last `clear`, in order. */
  readonly queries: SentQuery[]
  /** The texts of these statements. */
  readonly texts: string[]
  clear(): void
  stop(): void
}

export function watchQueries(): QueryLog {
  const queries: SentQuery[] = []
  const connections: pg.Client[] = []
  // oxlint-disable-next-line typescript/unbound-method -- called with its own client below
  const original = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    if (!connections.includes(this)) connections.push(this)
    queries.push({ ...sentQuery(args), connection: connections.indexOf(this) })
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

/** Returns the statements with any of these texts in a value, and all statements of their transactions. */
export function statementsAbout(queries: readonly SentQuery[], ids: readonly string[]): SentQuery[] {
  const units: SentQuery[][] = []
  const open = new Map<number, SentQuery[]>()
  for (const query of queries) {
    const transaction = open.get(query.connection)
    if (transaction) transaction.push(query)
    else units.push([query])
    const unit = transaction ?? units.at(-1) ?? []
    if (/^begin\b/i.test(query.text)) open.set(query.connection, unit)
    if (/^(commit|rollback)\b/i.test(query.text)) open.delete(query.connection)
  }
  const isAbout = ({ values }: SentQuery): boolean =>
    values.some((value) => typeof value === 'string' && ids.some((id) => value.includes(id)))
  return units.filter((unit) => unit.some(isAbout)).flat()
}

function sentQuery([query, second]: unknown[]): Omit<SentQuery, 'connection'> {
  const values = (found: unknown): unknown[] => (Array.isArray(found) ? (found as unknown[]) : [])
  if (typeof query === 'string') return { text: query, values: values(second), name: '' }
  if (typeof query !== 'object' || query === null || !('text' in query))
    return { text: '', values: [], name: '' }
  const name = 'name' in query && typeof query.name === 'string' ? query.name : ''
  return { text: String(query.text), values: values('values' in query ? query.values : second), name }
}
