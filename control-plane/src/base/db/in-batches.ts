/** Deletes many rows by statements of bounded size. */

interface Batches {
  /** Limit of rows in one statement. */
  rows: number
  /** Limit of statements. Default: no limit. */
  most?: number
}

/**
 * Calls `deleteSome`, which returns the number of deleted rows, until it deletes fewer than `rows`. Returns the number
 * of calls.
 */
export async function inBatches(
  { rows, most = Infinity }: Batches,
  deleteSome: () => Promise<number>,
): Promise<number> {
  let calls = 0
  for (let deleted = rows; deleted === rows && calls < most; calls += 1) deleted = await deleteSome()
  return calls
}
