// One live link causes a bounded load on Postgres: other tenants get their turn, however many sockets use the
// link.
import pg from 'pg'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { gateLimits } from '../../base/db/owner-gate.js'
import { openLive, type LiveClient } from '../../testing/live-client.js'
import { watchQueries, type QueryLog } from '../../testing/query-log.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { closings } from './page/wire.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let other: Tenant
let phoneId: string
let queries: QueryLog | undefined

beforeAll(async () => {
  plane = await world.start()
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  const agent = await plane.rack(1, { beatMs: 200 })
  agent.onWatch = (call) => {
    call.resume()
    call.on('error', () => undefined)
  }
  tenant = await plane.tenant()
  other = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
})
afterEach(async () => {
  queries?.stop()
  // A phone has at most one open hand-over.
  const { db } = plane.app.core
  await db.handoff.updateMany({
    where: { phoneId, endedAt: null },
    data: { status: 'withdrawn', endedAt: new Date() },
  })
})

const open = (token: string): LiveClient =>
  openLive(plane.server, new URL(plane.config.http.baseUrl).origin, token)

const call = (method: 'GET' | 'POST', url: string, { key }: Tenant, payload?: object) =>
  plane.server.inject({
    method,
    url,
    headers: { authorization: `Bearer ${key}` },
    ...(payload && { payload }),
  })

async function handoff(): Promise<{ id: string; token: string }> {
  const answer = await call('POST', `/v1/phones/${phoneId}/handoffs`, tenant, { message: 'Please help.' })
  const { id, url } = answer.json<{ id: string; url: string }>()
  return { id, token: new URL(url).hash.slice(1) }
}

/** Runs `work` while another connection keeps the lock that `sql` takes. */
async function whileLocked(sql: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(sql)
    await work()
    await client.query('rollback')
  } finally {
    await client.end()
  }
}

const most = (): number => gateLimits(plane.config.databasePool).running
const sent = (log: QueryLog, start: RegExp): number => log.texts.filter((text) => start.test(text)).length

it('decisions of many views of one hand-over wait for the turn of its project', async () => {
  const { id, token } = await handoff()
  const clients = Array.from({ length: 10 }, () => open(token))
  for (const client of clients) await client.opened()
  const log = (queries = watchQueries())
  await whileLocked(`select 1 from handoffs where id = '${id}' for update`, async () => {
    for (const client of clients) for (let each = 0; each < 5; each += 1) client.send({ type: 'take' })
    await eventually(() => sent(log, /^update handoffs/) >= most())
    expect((await call('GET', '/v1/account', other)).statusCode).toBe(200)
    expect(sent(log, /^update handoffs/)).toBe(most())
  })
  await eventually(() => sent(log, /^update handoffs/) === 50)
  expect((await plane.app.core.db.handoff.findUniqueOrThrow({ where: { id } })).status).toBe('taken')
  for (const client of clients) client.close()
})

it('a view that sends decisions faster than a person can is closed', async () => {
  const { token } = await handoff()
  const client = open(token)
  await client.opened()
  const log = (queries = watchQueries())
  for (let each = 0; each < 500; each += 1) client.send({ type: 'take' })
  expect(await client.closed()).toMatchObject(closings.tooFast)
  expect(sent(log, /^update handoffs/)).toBeLessThanOrEqual(10)
})

it('sockets that open simultaneously take turns', async () => {
  const { token } = await handoff()
  const log = (queries = watchQueries())
  const clients: LiveClient[] = []
  await whileLocked('lock table live_links in access exclusive mode', async () => {
    clients.push(...Array.from({ length: 40 }, () => open(token)))
    await eventually(() => sent(log, /from live_links l/) >= most())
    expect((await call('GET', '/v1/account', other)).statusCode).toBe(200)
    expect(sent(log, /from live_links l/)).toBe(most())
  })
  for (const client of clients) await client.opened()
  for (const client of clients) client.close()
})
