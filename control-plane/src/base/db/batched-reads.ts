/**
 * Reads of single rows that arrive together, as one statement: writing to a socket is half of what such a read costs.
 * A row is read after its request arrived, and never cached.
 */
import DataLoader from 'dataloader'

/** Rows of one statement; more are sent as several. */
const maxRows = 200

/** Reads a row by its ID; null when there is none. @throws the error of the statement, for each of its rows */
export type BatchedRead<Row> = (id: string) => Promise<Row | null>

/** @param find returns the rows that exist, in any order */
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
      // After all requests that the event loop has received in this turn.
      batchScheduleFn: (send) => void setImmediate(send),
    },
  )
  return (id) => loader.load(id)
}
