/** The order of numbers with transactions that commit in another order than they began, on real Postgres. */
import pg from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { readState } from './reads.js'

const world = useWorld()
let plane: Plane
let replica: Plane
beforeAll(async () => {
  plane = await world.start()
  replica = await world.start({ beside: plane })
})

const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  return client
}
const write = (client: pg.Client, project: string, text: string) =>
  client.query(
    `select write_event($1, null, 'balance.low', jsonb_build_object('balance', jsonb_build_object('text', $2::text)))`,
    [project, text],
  )
const numbered = async (project: string) => {
  const rows = await plane.app.core.db.event.findMany({
    where: { projectId: project },
    orderBy: { number: 'asc' },
  })
  return rows.map(({ data }) => (data as { balance: { text: string } }).balance.text)
}

it('gives a transaction that commits late a number above all that were read before [41.12]', async () => {
  const [slow, fast] = [await connect(), await connect()]
  await slow.query('begin')
  await write(slow, 'late', 'slow')
  await write(fast, 'late', 'fast')
  await eventually(async () => (await numbered('late')).length === 1)
  const { last } = await readState(plane.app.core.db)
  await slow.query('commit')
  await eventually(async () => (await numbered('late')).length === 2)
  expect(await numbered('late')).toEqual(['fast', 'slow'])
  const behind = await plane.app.core.db.event.count({ where: { projectId: 'late', number: { lte: last } } })
  expect(behind).toBe(1)
  for (const client of [slow, fast]) await client.end()
})

it('never shows a number before a lower one, while many connections write and both replicas number [41.13]', async () => {
  const writers = await Promise.all(Array.from({ length: 8 }, connect))
  const seen = new Set<string>()
  let after = 0n
  const writing = new AbortController()
  const isWriting = (): boolean => !writing.signal.aborted
  const reading = (async () => {
    const reader = await connect()
    for (let rest = 3; rest > 0; rest -= isWriting() ? 0 : 1) {
      const { rows } = await reader.query<{ number: string; text: string }>(
        `select number, data->'balance'->>'text' as text from events where project_id = 'many' and number > $1 order by number`,
        [after.toString()],
      )
      for (const { number, text } of rows) {
        seen.add(text)
        after = BigInt(number)
      }
      if (!isWriting()) await new Promise((resolve) => setTimeout(resolve, 300))
    }
    await reader.end()
  })()
  await Promise.all(
    writers.map(async (client, writer) => {
      for (let each = 0; each < 60; each += 1) {
        await client.query('begin')
        await write(client, 'many', `${writer}.${each}`)
        await new Promise((resolve) => setTimeout(resolve, (writer * 7 + each * 13) % 23))
        await client.query(each % 10 === 9 ? 'rollback' : 'commit')
      }
    }),
  )
  await eventually(async () => (await plane.app.core.db.outboxEvent.count()) === 0)
  writing.abort()
  await reading
  expect(seen.size).toBe(8 * 54)
  const { last } = await readState(replica.app.core.db)
  expect(BigInt(await plane.app.core.db.event.count())).toBe(last)
  for (const client of writers) await client.end()
})

it('numbers events that were written while the replica could not listen [41.14]', async () => {
  const client = await connect()
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'phonerack-listener'
    and datname = current_database()`)
  await write(client, 'unheard', 'a')
  await eventually(async () => (await numbered('unheard')).length === 1)
  await client.end()
})
