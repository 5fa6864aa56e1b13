// Rows that are read together, with real Postgres.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { Prisma } from '../../gen/prisma/client.js'
import { useWorld, type Plane } from '../../testing/world.js'
import { createBatchedRead } from './batched-reads.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
  await plane.app.core.db.$executeRaw`create table test_rows (id text primary key, text text)`
  await plane.app.core.db
    .$executeRaw`insert into test_rows select i, 'text ' || i from generate_series(0, 499) i`
})

/** Reads of the table, and the IDs of each statement. */
function reader() {
  const statements: string[][] = []
  const read = createBatchedRead((ids) => {
    statements.push([...ids])
    return plane.app.core.read<{ id: string; text: string }>(
      Prisma.sql`select id, text from test_rows where id = any(${ids})`,
    )
  })
  return { read, statements }
}

describe('reads that arrive together', () => {
  it('each get their own row, or null', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 480, max: 520 }), { minLength: 1, maxLength: 60 }),
        async (numbers) => {
          const { read, statements } = reader()
          const rows = await Promise.all(numbers.map((id) => read(String(id))))
          expect(rows.map((row) => row?.text ?? null)).toEqual(
            numbers.map((id) => (id < 500 ? `text ${id}` : null)),
          )
          expect(statements).toHaveLength(1)
        },
      ),
      { numRuns: 30 },
    ))

  it('are more than one statement when they are many', async () => {
    const { read, statements } = reader()
    const rows = await Promise.all(Array.from({ length: 500 }, (_, id) => read(String(id))))
    expect(rows.map((row) => row?.id)).toEqual(rows.map((_, id) => String(id)))
    expect(statements.map((ids) => ids.length)).toEqual([200, 200, 100])
  })

  it('see what was committed before them', async () => {
    const { read } = reader()
    for (const text of ['one', 'two', 'three']) {
      await plane.app.core.db.$executeRaw`update test_rows set text = ${text} where id = '7'`
      const [first, second] = await Promise.all([read('7'), read('7')])
      expect([first?.text, second?.text]).toEqual([text, text])
    }
  })

  it('fail together, and the next one is answered', async () => {
    const { read } = reader()
    await plane.app.core.db.$executeRaw`alter table test_rows rename to away`
    const outcomes = await Promise.allSettled([read('1'), read('2')])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await plane.app.core.db.$executeRaw`alter table away rename to test_rows`
    expect((await read('1'))?.text).toBe('text 1')
  })
})
