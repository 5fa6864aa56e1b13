/** Lists of the API as async iterators: `for await (const phone of phonerack.phones.list()) …`. */

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

/** A list that reads the next page only when it is needed. */
export class Pages<Row, T> implements AsyncIterable<T> {
  constructor(
    private readonly read: (cursor: string | undefined, limit?: number) => Promise<Page<Row>>,
    private readonly convert: (row: Row) => T,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    let cursor: string | undefined
    do {
      const page = await this.read(cursor)
      for (const row of page.data) yield this.convert(row)
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
  }

  /**
   * One page.
   * @param from `cursor`: `next_cursor` of the page before; `limit`: the largest number of rows, for lists
   * with a limit
   */
  async page({ cursor, limit }: { cursor?: string; limit?: number } = {}): Promise<Page<T>> {
    const page = await this.read(cursor, limit)
    return { data: page.data.map((row) => this.convert(row)), next_cursor: page.next_cursor }
  }

  /** @param most the largest number of rows; the default reads all */
  async toArray(most = Number.POSITIVE_INFINITY): Promise<T[]> {
    const found: T[] = []
    for await (const each of this) {
      if (found.length >= most) break
      found.push(each)
    }
    return found
  }
}
