/**
 * Combines reads of single rows that arrive together into one statement, because writing to a socket is half of the
 * cost of such a read. A row is read after its request arrived, and never cached.
 */
import DataLoader from 'dataloader'

/** Limit of rows in one statement; more rows are read by several statements. */
const maxRows = 200

/** Reads a row by its ID; null if it does not exist. @throws the error of the statement, for each of its rows */
type BatchedRead<Row> = (id: string) => Promise<Row | null>

/** @param find returns the existing rows, in any order */
export function createBatchedRead<Row extends { id: string }>(
  find: (ids: readonly string[]) => Promise<Row[]>,
): BatchedRead<Row> {
  const loader = new DataLoader<string, Row | null>(
    async (ids) => {
      const rows = new Map((await find(ids)).map((row) => [row.id, row]))
      return ids.map((id) => rows.get(id) ?? null)
    },
    {
      cache: false,
      maxBatchSize: maxRows,
      // The statement waits for all requests that the event loop receives in this turn.
      batchScheduleFn: (send) => void setImmediate(send),
    },
  )
  return (id) => loader.load(id)
}
