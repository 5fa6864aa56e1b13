// Transactions of raw statements by pg, with real Postgres: their commits, their repetitions, and their connections.
import { ApiError } from '@phonerack/shared'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { Prisma } from '../../gen/prisma/client.js'
import { refusalOf, useWorld, type Plane } from '../../testing/world.js'
import { isBusy } from './busy.js'
import {
  ConcurrentChange,
  inRawTransaction,
  isCommitUnknown,
  openDatabase,
  type OpenDatabase,
} from './database.js'
import { sqlStateOf } from './sql-state.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
  await plane.app.core.db.$executeRaw`create table test_notes (id int primary key, text text)`
})

async function withDatabase(work: (opened: OpenDatabase) => Promise<void>, queryMs?: number): Promise<void> {
  const opened = openDatabase(plane.config.databaseUrl, 1, queryMs)
  try {
    await work(opened)
  } finally {
    await opened.close()
  }
}
const notes = () =>
  plane.app.core.db.$queryRaw<{ id: number; text: string }[]>`select id, text from test_notes order by id`
const caught = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('a raw transaction', () => {
  it('commits, counts changed rows, and prepares each text once', () =>
    withDatabase(async ({ transact, read }) => {
      for (const id of [1, 2])
        await inRawTransaction(transact, async (tx) => {
          expect(await tx.$executeRaw`insert into test_notes values (${id}, ${`note ${id}`})`).toBe(1)
          expect(await tx.$queryRaw`select text from test_notes where id = ${id}`).toEqual([
            { text: `note ${id}` },
          ])
          expect(await tx.$executeRaw`update test_notes set text = '' where id = ${-id}`).toBe(0)
        })
      expect(await notes()).toEqual([
        { id: 1, text: 'note 1' },
        { id: 2, text: 'note 2' },
      ])
      const kept = await read<{ count: bigint }>(
        Prisma.sql`select count(*) as count from pg_prepared_statements where statement like '%test_notes%'`,
      )
      // The text of this query is the fourth.
      expect(kept).toEqual([{ count: 4n }])
    }))

  it('rolls back when its work or a statement fails, and the connection serves the next one', () =>
    withDatabase(async ({ transact }) => {
      const refused = inRawTransaction(transact, async (tx) => {
        await tx.$executeRaw`insert into test_notes values (3, 'refused')`
        throw new ApiError('phone_deleted')
      })
      expect(await refusalOf(refused)).toBe('phone_deleted')
      const twice = await caught(
        inRawTransaction(transact, async (tx) => {
          await tx.$executeRaw`insert into test_notes values (3, 'twice')`
          await tx.$executeRaw`insert into test_notes values (3, 'twice')`
        }),
      )
      expect(sqlStateOf(twice)).toBe('23505')
      expect(isCommitUnknown(twice)).toBe(false)
      expect((await notes()).map(({ id }) => id)).toEqual([1, 2])
      await inRawTransaction(transact, (tx) => tx.$executeRaw`insert into test_notes values (3, 'third')`)
      expect((await notes()).map(({ id }) => id)).toEqual([1, 2, 3])
    }))

  it('is repeated after a concurrent change, at most three times', () =>
    withDatabase(async ({ transact }) => {
      let attempts = 0
      await inRawTransaction(transact, async (tx) => {
        attempts += 1
        await tx.$executeRaw`insert into test_notes values (4, ${`attempt ${attempts}`})`
        if (attempts < 3) throw new ConcurrentChange('a test')
      })
      expect((await notes()).at(-1)).toEqual({ id: 4, text: 'attempt 3' })
      const error = await caught(
        inRawTransaction(transact, () => {
          attempts += 1
          return Promise.reject(new ConcurrentChange('a test'))
        }),
      )
      expect([attempts, isBusy(error)]).toEqual([7, true])
    }))

  it('closes a connection whose statement does not end, and one that breaks between two statements', () =>
    withDatabase(async ({ transact }) => {
      const holder = new pg.Client({ connectionString: plane.config.databaseUrl })
      await holder.connect()
      try {
        await holder.query('select pg_advisory_lock(258)')
        const stuck = inRawTransaction(transact, async (tx) => {
          await tx.$executeRaw`insert into test_notes values (5, 'stuck')`
          await tx.$queryRaw`select 1 as held from pg_advisory_xact_lock(258)`
        })
        await expect(stuck).rejects.toThrow(/timeout/i)
        const broken = inRawTransaction(transact, async (tx) => {
          const [own] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`
          await holder.query('select pg_terminate_backend($1)', [own?.pid])
          await new Promise((resolve) => setTimeout(resolve, 100))
          await tx.$executeRaw`insert into test_notes values (5, 'broken')`
        })
        await expect(broken).rejects.toThrow()
        await holder.query('select pg_advisory_unlock(258)')
        expect((await notes()).map(({ id }) => id)).toEqual([1, 2, 3, 4])
        // The pool has one connection, which is new.
        await inRawTransaction(transact, (tx) => tx.$executeRaw`insert into test_notes values (5, 'fifth')`)
        expect((await notes()).at(-1)).toEqual({ id: 5, text: 'fifth' })
      } finally {
        await holder.end()
      }
    }, 3000))
})
