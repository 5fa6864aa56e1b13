/**
 * Statements of hot paths, sent as prepared statements by `pg`. Postgres plans them once per connection, and they cost
 * this process less than half of the same statements with Prisma.
 */
import pg from 'pg'
import { type Prisma } from '../../gen/prisma/client.js'

/**
 * Runs one statement outside a transaction. The text must be constant, since each connection keeps it prepared, and
 * must name its columns. `Row` has the types of `pg`, with bigint for `int8`.
 */
export type PreparedRead = <Row extends pg.QueryResultRow>(query: Prisma.Sql) => Promise<Row[]>

/** By default, `pg` returns `int8` as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === (pg.types.builtins.INT8 as number) && format !== 'binary'
      ? BigInt
      : (pg.types.getTypeParser(oid, format) as unknown),
}

/** Makes a prepared statement of `pg`. */
export type Prepare = (query: Prisma.Sql) => pg.QueryConfig

/**
 * A limit above the number of texts in the code. A text that varies by mistake is planned each time, instead of filling
 * the connections.
 */
const mostTexts = 500

/** Gives each text a name, since Prisma's statements have no names. */
export function createPrepare(): Prepare {
  const names = new Map<string, string>()
  return ({ text, values }) => {
    let name = names.get(text)
    if (name === undefined && names.size < mostTexts) {
      name = `read_${names.size + 1}`
      names.set(text, name)
    }
    return { ...(name === undefined ? {} : { name }), text, values, types }
  }
}

/** @param pool the pool that Prisma also uses */
export function createPreparedRead(pool: pg.Pool, prepare: Prepare): PreparedRead {
  return async <Row extends pg.QueryResultRow>(query: Prisma.Sql) =>
    (await pool.query<Row>(prepare(query))).rows
}
