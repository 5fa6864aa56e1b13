// The statements that the most frequent requests send to Postgres: their number and which of them are prepared. With real
// Postgres.
import { hashSecret, subjects } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchQueries, type QueryLog, type SentQuery } from '../../testing/query-log.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
let log: QueryLog
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(1)
  tenant = await plane.tenant()
  const { phones } = plane.app.services
  phoneId = (await phones.create(tenant.caller, createBody(), null)).phone.id
  await phones.wait(phoneId, ({ status }) => status === 'ready', 60_000, new AbortController().signal)
  await plane.app.quiesce()
  log = watchQueries()
})
afterAll(() => log.stop())

/** The statements about the phone or the key. */
async function statementsOf(request: () => Promise<unknown>): Promise<SentQuery[]> {
  log.clear()
  await request()
  const hash = hashSecret(tenant.key)
  return log.queries.filter(({ values }) =>
    values.flat().some((value) => value === phoneId || value === hash),
  )
}

const send = async (method: 'GET' | 'POST', path: string, payload?: object): Promise<void> => {
  const answer = await plane.server.inject({
    method,
    url: `/v1/phones/${phoneId}${path}`,
    headers: { authorization: `Bearer ${tenant.key}` },
    ...(payload ? { payload } : {}),
  })
  expect(answer.statusCode, answer.body).toBe(200)
}

const isKey = ({ text }: SentQuery): boolean => /from api_keys/.test(text)
/** Written after the answer, sometimes during the next request. */
const isActivity = ({ text }: SentQuery): boolean => /^INSERT INTO "public"."activity"/.test(text)

const requests: Record<string, () => Promise<void>> = {
  'GET /v1/phones/{id}': () => send('GET', ''),
  'GET /v1/phones/{id}/observe': () => send('GET', '/observe'),
  'POST /v1/phones/{id}/actions': () =>
    send('POST', '/actions', { actions: [{ type: 'wait', ms: 1 }], observe: 'none' }),
}

it.each(Object.keys(requests))(
  '%s sends only prepared statements, and one about its phone, while its key is cached',
  async (name) => {
    const request = requests[name]
    if (!request) throw new Error(name)
    // Caches the key. The cache lasts a second, so a slow machine may lose it in between.
    await request()
    const statements = (await statementsOf(request)).filter(
      (statement) => !isKey(statement) && !isActivity(statement),
    )
    // A step is written after the answer, so the statement may be the step of the previous request.
    const before = statements.filter(({ text }) => !/insert into steps/.test(text))
    expect([...new Set(before.map(({ text }) => text))]).toEqual([
      expect.stringMatching(/^\s*select.* from phones p/s),
    ])
    for (const statement of statements) expect(statement.name).not.toBe('')
  },
)

it('requests for phones that arrive together share statements', async () => {
  const read = requests['GET /v1/phones/{id}']
  if (!read) throw new Error('no such request')
  await read()
  const statements = await statementsOf(async () => {
    await Promise.all(Array.from({ length: 20 }, read))
  })
  expect(statements.filter(({ text }) => /from phones p/.test(text)).length).toBeLessThan(10)
})

it('reads a key that is not cached with one prepared statement', async () => {
  const { core } = plane.app
  core.bus.publish(subjects.keyChanged, { key_hash: hashSecret(tenant.key) })
  const read = requests['GET /v1/phones/{id}']
  if (!read) throw new Error('no such request')
  await eventually(async () => {
    const keys = (await statementsOf(read)).filter(isKey)
    for (const { name } of keys) expect(name).not.toBe('')
    return keys.length === 1
  })
})
