// With real Postgres: only the SQLSTATE decides, never text that a tenant may have written.
import { beforeAll, describe, expect, it } from 'vitest'
import { useWorld, type Plane } from '../../testing/world.js'
import { inTransaction, isRepeatable, type Database } from './database.js'
import { isDataFault, sqlStateOf } from './sql-state.js'

const world = useWorld()
let plane: Plane
let db: Database
beforeAll(async () => {
  plane = await world.start()
  ;({ db } = plane.app.core)
})

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('nothing failed')
}
const raise = (message: string, state: string) =>
  failureOf(db.$queryRawUnsafe(`do $$ begin raise exception '${message}' using errcode = '${state}'; end $$`))

describe('isRepeatable', () => {
  it.each(['40001', '40P01'])('is true for SQLSTATE %s with any text', async (state) => {
    const error = await raise('something', state)
    expect([sqlStateOf(error), isRepeatable(error), isDataFault(error)]).toEqual([state, true, false])
  })

  it('is false for a text that contains 40001 or describes a deadlock', async () => {
    for (const text of ['40001', '40P01', 'deadlock detected', 'could not serialize access'])
      expect(isRepeatable(await raise(text, '22000')), text).toBe(false)
    const phone = failureOf(
      db.phone.create({
        data: {
          id: 'ph_40001',
          projectId: 'proj_40P01',
          keyId: 'k',
          name: 'deadlock detected',
          status: 'ready',
          createdAt: new Date(),
        },
      }),
    )
    expect(isRepeatable(await phone)).toBe(false)
    expect(isRepeatable(new Error('40001 deadlock detected'))).toBe(false)
  })

  it("runs the work once when a tenant's value contains a SQLSTATE", async () => {
    let runs = 0
    const failure = await failureOf(
      inTransaction(db, (tx) => {
        runs += 1
        return tx.$queryRaw`select ${'40001 deadlock detected'}::int`
      }),
    )
    expect([runs, sqlStateOf(failure)]).toEqual([1, '22P02'])
  })
})

describe('isDataFault', () => {
  it('is true for values that Postgres or Prisma refuses, and false for a broken connection', async () => {
    expect(isDataFault(await failureOf(db.$queryRaw`select ${'a\0'}::text`))).toBe(true)
    expect(isDataFault(await failureOf(db.phone.findUnique({ where: { id: 'a\0' } })))).toBe(true)
    expect(
      isDataFault(await failureOf(db.session.findMany({ where: { startedAt: new Date(Number.NaN) } }))),
    ).toBe(true)
    const cut = await failureOf(db.$queryRaw`select pg_terminate_backend(pg_backend_pid())`)
    expect(isDataFault(cut)).toBe(false)
  })
})
