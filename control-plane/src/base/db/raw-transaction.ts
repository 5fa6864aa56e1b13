/**
 * Transactions of raw statements by `pg`, for the paths on which Prisma's engine costs more than the statements:
 * creates, starts, and ends of sessions. Each statement is prepared under a name.
 */
import type pg from 'pg'
import { Prisma } from '../../gen/prisma/client.js'
import { type Prepare } from './prepared-reads.js'
import { sqlStateOf } from './sql-state.js'

/**
 * The raw statements of a transaction, by Prisma or by `pg`. A function with this parameter works with both. Its texts
 * must be constant, since each connection keeps them prepared, and must name their columns.
 */
export interface RawTx {
  $queryRaw<T = unknown>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<T>
  /** Returns the number of rows that the statement changed. */
  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number>
}

/** Runs `work` in one transaction: commits it when `work` succeeds, and rolls it back otherwise. */
export type Transact = <T>(work: (tx: RawTx) => Promise<T>) => Promise<T>

/** Milliseconds for a transaction, the same as for Prisma. The last statement may exceed them by its own limit. */
const longestMs = 20_000

/** @param pool the pool that Prisma also uses */
export function createTransact(pool: pg.Pool, prepare: Prepare): Transact {
  return async (work) => {
    const client = await pool.connect()
    // A connection that breaks between two statements fails the next statement. Without a listener, its event would end
    // the process.
    client.on('error', ignore)
    const connection = new Connection(client, prepare)
    try {
      await connection.send('BEGIN')
      const result = await work(connection.tx)
      await connection.send('COMMIT')
      return result
    } catch (error) {
      await connection.rollBack()
      throw error
    } finally {
      client.off('error', ignore)
      client.release(!connection.isUsable)
    }
  }
}

const ignore = (): void => undefined

class Connection {
  /** False after a statement that Postgres did not answer, which may still run. */
  isUsable = true
  private readonly until = performance.now() + longestMs

  readonly tx: RawTx = {
    $queryRaw: async <T>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      (await this.run(query, values)).rows as T,
    $executeRaw: async (query, ...values) => (await this.run(query, values)).rowCount ?? 0,
  }

  constructor(
    private readonly client: pg.PoolClient,
    private readonly prepare: Prepare,
  ) {}

  async send(statement: string | pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await this.client.query(statement)
    } catch (error) {
      if (sqlStateOf(error) === null) this.isUsable = false
      throw error
    }
  }

  async rollBack(): Promise<void> {
    if (!this.isUsable) return
    try {
      await this.client.query('ROLLBACK')
    } catch {
      // The caller throws the first error, which is the cause. Postgres rolls back when the connection is closed.
      this.isUsable = false
    }
  }

  private run(query: TemplateStringsArray | Prisma.Sql, values: unknown[]): Promise<pg.QueryResult> {
    if (performance.now() > this.until) throw new TransactionTimeout()
    return this.send(this.prepare(query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values)))
  }
}

/** Has the SQLSTATE query_canceled, like a statement that exceeds its limit. */
class TransactionTimeout extends Error {
  readonly code = '57014'

  constructor() {
    super(`the transaction took more than ${longestMs} milliseconds`)
  }
}
