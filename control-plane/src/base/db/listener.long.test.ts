/** Notifications of Postgres over a connection that breaks without a word. */
import { createLogger } from '@phonerack/shared'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgresProxy, type PostgresProxy } from '../../testing/postgres-proxy.js'
import { eventually, useWorld } from '../../testing/world.js'
import { Listener } from './listener.js'

const world = useWorld()
let url: string
let proxy: PostgresProxy
beforeAll(async () => {
  url = (await world.start({ env: { PHONERACK_JOBS: 'off' } })).config.databaseUrl
  proxy = await startPostgresProxy(url)
})
afterAll(() => proxy.stop())

it('connects again when Postgres no longer answers, and hears what comes then', async () => {
  const log = createLogger('test')
  log.level = 'silent'
  let notices = 0
  const listener = new Listener(proxy.url, 'phonerack_events', log, () => (notices += 1))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const notify = () => client.query(`notify phonerack_events`)
  await eventually(() => notices === 1)
  await notify()
  await eventually(() => notices === 2)
  proxy.silence()
  await notify()
  // The caller queries by itself after each connect.
  await eventually(() => notices === 3)
  await notify()
  await eventually(() => notices === 4)
  expect(notices).toBe(4)
  await client.end()
  await listener.close()
})
