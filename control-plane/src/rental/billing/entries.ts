/** Lists the ledger of a project for its members, newest first. */
import { type Core } from '../../base/core/core.js'
import { type Reader } from '../../base/db/database.js'

interface LedgerQuery {
  projectId: string
  limit: number
  /** The previous page's `next_before`; null for the newest entries. */
  before: string | null
}

interface Row {
  id: bigint
  at: Date
  kind: string
  micros: bigint
  session_id: string | null
  checkout_id: string | null
  phone_id: string | null
  phone: string | null
}

/** Selects entries that change the balance. Reservations only move credit, and every session has them. */
const rowsOf = (db: Reader, { projectId, limit }: LedgerQuery, below: bigint | null): Promise<Row[]> =>
  db.$queryRaw<Row[]>`
    select l.id, l.at, l.kind, l.balance_delta as micros, l.session_id, l.checkout_id, p.id as phone_id, p.name as phone
    from ledger l left join sessions s on s.id = l.session_id left join phones p on p.id = s.phone_id
    where l.project_id = ${projectId} and l.balance_delta <> 0 and (${below}::bigint is null or l.id < ${below}::bigint)
    order by l.id desc limit ${limit + 1}`

export async function listEntries(core: Core, query: LedgerQuery) {
  const scope = { projectId: query.projectId, list: 'ledger', parameter: 'before' }
  const after = core.cursors.decode(scope, query.before)
  const rows = await rowsOf(core.db, query, after && BigInt(after.id))
  return core.cursors.toPage(
    scope,
    rows,
    query.limit,
    (row) => ({ at: row.at, id: row.id.toString() }),
    (row) => row,
  )
}
