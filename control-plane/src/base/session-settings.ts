/** Settings of a connection to Postgres that also work through a pooler such as PgBouncer in session mode. */
import type pg from 'pg'

/** Milliseconds by the name of a setting of Postgres. */
type SessionSettings = Partial<Record<'statement_timeout' | 'idle_in_transaction_session_timeout', number>>

/**
 * Sets limits of a new connection by a statement, because a pooler refuses or drops such settings as parameters of the
 * connection's start. The pool runs `onConnect` before the first use of the connection.
 */
export const setOnConnect =
  (settings: SessionSettings) =>
  // The pool waits for the promise, although its types do not say so.
  (client: Pick<pg.ClientBase, 'query'>): unknown => {
    const statements = Object.entries(settings).map(([name, ms]) => `set ${name} = ${ms}`)
    return client.query(statements.join('; '))
  }
