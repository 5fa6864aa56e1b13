/**
 * The connection to Postgres: one Prisma client over one pool, transactions that are retried when Postgres requires it,
 * and readable types for both.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient, type Prisma } from '../../gen/prisma/client.js'
import { setOnConnect } from '../session-settings.js'
import { poolUseOf, type PoolUse } from './pool-use.js'
import { createPrepare, createPreparedRead, type PreparedRead } from './prepared-reads.js'
import { createTransact, type RawTx, type Transact } from './raw-transaction.js'
import { sqlStateOf } from './sql-state.js'

export type Database = PrismaClient
/** The client inside a transaction. */
export type Tx = Prisma.TransactionClient
/** A transaction or the database, for reads that need no separate transaction. */
export type Reader = Pick<RawTx, '$queryRaw'>

export interface OpenDatabase {
  db: Database
  read: PreparedRead
  transact: Transact
  /** The connections in use at present. */
  poolUse(): PoolUse
  close(): Promise<void>
}

/** @param queryMs milliseconds after which a query without an answer fails */
export function openDatabase(url: string, poolSize: number, queryMs = 25_000): OpenDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    onConnect: setOnConnect({ statement_timeout: 20_000, idle_in_transaction_session_timeout: 30_000 }),
    connectionTimeoutMillis: 10_000,
    // Postgres's own limit is shorter, so only an unresponsive server reaches this limit.
    query_timeout: queryMs,
    application_name: 'phonerack',
  })
  // The pool drops a connection that breaks while idle, and the next query gets a new connection.
  pool.on('error', () => undefined)
  closeUnfinished(pool)
  const db = new PrismaClient({
    adapter: new PrismaPg(pool),
    errorFormat: 'minimal',
    // Also applies to the transactions that Prisma wraps around several statements.
    transactionOptions: { maxWait: 15_000, timeout: 20_000 },
  })
  const prepare = createPrepare()
  return {
    db,
    read: createPreparedRead(pool, prepare),
    transact: createTransact(pool, prepare),
    poolUse: () => poolUseOf(pool),
    async close() {
      await db.$disconnect()
      await pool.end()
    },
  }
}

/**
 * Closes a connection that is released within a transaction. After a query timeout, Prisma and graphile-worker return
 * the connection to the pool without a rollback. The statements of the next user would then belong to that transaction,
 * which is never committed.
 */
export function closeUnfinished(pool: pg.Pool): void {
  pool.on('release', (_error, client) => {
    const status = client.getTransactionStatus()
    // `end` also marks the client, so that the pool removes it immediately.
    if ((status === 'T' || status === 'E') && client instanceof pg.Client) void client.end()
  })
}

/** Postgres's time now. */
export async function readTime(db: Reader): Promise<Date> {
  const [row] = await db.$queryRaw<{ ms: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
  if (!row) throw new Error('Postgres did not return its time')
  return new Date(row.ms)
}

const attempts = 4

/** Errors of transactions whose commit may have been sent, but was not answered by Postgres. */
const unanswered = new WeakSet<object>()

/** True if the transaction that failed with this error may have been committed. */
export const isCommitUnknown = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && unanswered.has(error)

/** A FATAL error of class 57P ends the connection, and does not show the outcome of the statement. */
function isAnswered(error: unknown): boolean {
  const state = sqlStateOf(error)
  return isRepeatable(error) || (state !== null && !/^(57P|08)/.test(state))
}

/**
 * Runs `work` in one transaction (read committed; rows are locked explicitly, in the order owner, project, phone, host,
 * device). Retries up to three times after a deadlock or serialisation failure, so `work` must have no effect outside
 * the database.
 */
export const inTransaction = <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  repeated<Tx, T>((each) => db.$transaction(each), work)

/** Like `inTransaction`, for work that only sends raw statements: it costs this process less than half. */
export const inRawTransaction = <T>(transact: Transact, work: (tx: RawTx) => Promise<T>): Promise<T> =>
  repeated<RawTx, T>(transact, work)

async function repeated<Of, T>(
  begin: (work: (tx: Of) => Promise<T>) => Promise<T>,
  work: (tx: Of) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const progress = { isWorkDone: false }
    try {
      return await begin(async (tx) => {
        const result = await work(tx)
        progress.isWorkDone = true
        return result
      })
    } catch (error) {
      if (progress.isWorkDone && error instanceof Error && !isAnswered(error)) unanswered.add(error)
      if (attempt >= attempts || !isRepeatable(error)) throw error
    }
  }
}

/**
 * A concurrent change affects a later statement of the transaction. The transaction is repeated, and then sees the
 * change.
 */
export class ConcurrentChange extends Error {
  /** serialization_failure */
  readonly code = '40001'
}

/** True for deadlocks and serialisation failures. */
export function isRepeatable(error: unknown): boolean {
  if (error instanceof Error && 'code' in error && error.code === 'P2034') return true
  return ['40001', '40P01'].includes(sqlStateOf(error) ?? '')
}
