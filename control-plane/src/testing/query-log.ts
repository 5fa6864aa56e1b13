/** The SQL that this process sends to Postgres while a test watches, by any connection. */
import pg from 'pg'
import { vi } from 'vitest'

export interface QueryLog {
  /** Texts since the last `clear`, in order. */
  readonly texts: string[]
  clear(): void
  stop(): void
}

export function watchQueries(): QueryLog {
  const texts: string[] = []
  const textOf = (query: unknown): string => {
    if (typeof query === 'string') return query
    return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : ''
  }
  // oxlint-disable-next-line typescript/unbound-method -- called with its own client below
  const original = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    texts.push(textOf(args[0]))
    return original.apply(this, args) as never
  })
  return { texts, clear: () => texts.splice(0), stop: () => spy.mockRestore() }
}
