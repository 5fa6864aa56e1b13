/**
 * The few reads that run before nearly every request, sent as prepared statements by `pg`. Postgres plans them
 * once per connection, and they cost this process less than half of what they cost with Prisma. docs/decisions/0186
 */
import pg from 'pg'
import { type Prisma } from '../gen/prisma/client.js'

/**
 * Runs one statement outside a transaction. Its text never varies, since each connection keeps it prepared, and names its
 * columns. `Row` has the types of `pg`, and bigint for `int8`.
 */
export type PreparedRead = <Row extends pg.QueryResultRow>(query: Prisma.Sql) => Promise<Row[]>

/** Without it, `pg` returns `int8` as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === (pg.types.builtins.INT8 as number) && format !== 'binary'
      ? BigInt
      : (pg.types.getTypeParser(oid, format) as unknown),
}

/** @param pool shared with Prisma, whose statements have no names */
export function createPreparedRead(pool: pg.Pool): PreparedRead {
  const names = new Map<string, string>()
  return async <Row extends pg.QueryResultRow>({ text, values }: Prisma.Sql) => {
    const name = names.get(text) ?? `read_${names.size + 1}`
    names.set(text, name)
    return (await pool.query<Row>({ name, text, values, types })).rows
  }
}
