// Requests of one browser above their limit do not reach Postgres, and many reads share one read
// of the session.
import { afterEach, beforeAll, expect, it } from 'vitest'
import { consoleUser } from '../../../testing/console-client.js'
import { watchQueries, type QueryLog } from '../../../testing/query-log.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let queries: QueryLog | undefined
/** Fixed just after the beginning of a minute, so that no count starts again during a test. */
const start = Math.ceil(Date.now() / 60_000) * 60_000 + 1000
beforeAll(async () => {
  plane = await world.start({ clock: { now: () => new Date(start) } })
  tenant = await plane.tenant()
})
afterEach(() => queries?.stop())

const member = async () => (await consoleUser(plane, { role: 'member', projectId: tenant.projectId })).client
const aboutSessions = (log: QueryLog): number => log.texts.filter((text) => /user_sessions/.test(text)).length

it('reads the session once for many reads of a page', async () => {
  const client = await member()
  await client.ask('GET', '/me/accounts')
  const log = (queries = watchQueries())
  const answers = await Promise.all(Array.from({ length: 50 }, () => client.ask('GET', '/me/accounts')))
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(aboutSessions(log)).toBeLessThanOrEqual(2)
})

it('refuses what is above the limit without Postgres', async () => {
  const client = await member()
  for (let sent = 0; sent < 12; sent += 1)
    await Promise.all(Array.from({ length: 50 }, () => client.ask('GET', '/session')))
  const log = (queries = watchQueries())
  const { status } = await client.ask('GET', '/me/accounts')
  expect([status, aboutSessions(log)]).toEqual([429, 0])
})

it('ends immediately on this replica with the sign-out', async () => {
  const client = await member()
  expect((await client.ask('GET', '/me/accounts')).status).toBe(200)
  const cookies = new Map(client.cookies)
  await client.ask('POST', '/auth/sign-out', { body: {} })
  for (const [name, value] of cookies) client.cookies.set(name, value)
  expect((await client.ask('GET', '/me/accounts')).status).toBe(401)
})
