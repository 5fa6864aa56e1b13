// The number of statements from a phone's create until it is ready, and at its delete. Runs with real
// Postgres; the agent is a double.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { statementsAbout, watchQueries, type QueryLog, type SentQuery } from '../../testing/query-log.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let log: QueryLog
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(1)
  tenant = await plane.tenant()
  log = watchQueries()
  // Fills the caches, and opens the connections.
  await remove((await createUntilReady()).id)
  await isFree()
})
afterAll(() => log.stop())

interface Phone {
  id: string
  status: string
}

async function send(method: 'POST' | 'DELETE', path: string, payload?: object): Promise<Phone> {
  const answer = await plane.server.inject({
    method,
    url: `/v1/phones${path}`,
    headers: { authorization: `Bearer ${tenant.key}` },
    ...(payload ? { payload } : {}),
  })
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  return answer.json<Phone>()
}

/** Sends one request, which waits until the phone is ready. */
const createUntilReady = (): Promise<Phone> => send('POST', '', { name: 'a phone' })

const remove = (id: string): Promise<Phone> => send('DELETE', `/${id}`)

/** Whether a statement writes activity, which happens in the background, in batches. */
const isActivity = ({ text }: SentQuery): boolean => /^INSERT INTO "public"."activity"/.test(text)
const textsAbout = (id: string): string[] =>
  statementsAbout(log.queries, [id])
    .filter((each) => !isActivity(each))
    .map(({ text }) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 60))

/** The workers' statements: reads of due jobs, and statements that get and complete jobs. */
const ofQueue = (): SentQuery[] =>
  log.queries.filter(({ name }) => /^(due_jobs|get_job|complete_job)/.test(name))

const isFree = () =>
  eventually(async () => (await plane.app.core.db.device.count({ where: { state: 'free' } })) === 1)

it('a create takes at most 15 statements until the phone is ready, plus a few of the workers', async () => {
  log.clear()
  const { id, status } = await createUntilReady()
  expect(status).toBe('ready')
  await eventually(() => ofQueue().some(({ name }) => name.startsWith('complete_job')))
  const texts = textsAbout(id)
  expect(texts.length, texts.join('\n')).toBeLessThanOrEqual(15)
  expect(texts.slice(0, 7)).toEqual([
    'BEGIN',
    expect.stringMatching(/^with owner as/),
    expect.stringMatching(/^select paused_at/),
    expect.stringMatching(/^insert into lifecycle_counts/),
    expect.stringMatching(/^with epoch as/),
    expect.stringMatching(/^with assigned as/),
    'COMMIT',
  ])
  // A worker may get the job while the test reads, so the number of reads differs.
  expect(
    ofQueue().length,
    ofQueue()
      .map(({ name }) => name)
      .join('\n'),
  ).toBeLessThanOrEqual(8)
  for (const { text, name } of statementsAbout(log.queries, [id]))
    if (!/^(BEGIN|COMMIT)$/.test(text)) expect(name, text).not.toBe('')
  await remove(id)
  await isFree()
})

it('a delete takes nine statements', async () => {
  const { id } = await createUntilReady()
  await eventually(() => log.queries.some(({ name }) => name.startsWith('complete_job')))
  log.clear()
  await remove(id)
  const texts = textsAbout(id)
  // The wipe of the device, which follows, may begin earlier.
  const own = texts.slice(0, texts.indexOf('COMMIT') + 1)
  expect(own, own.join('\n')).toEqual([
    'BEGIN',
    expect.stringMatching(/^select p.id/),
    expect.stringMatching(/^with project as/),
    expect.stringMatching(/^insert into lifecycle_counts/),
    expect.stringMatching(/^with ended as/),
    expect.stringMatching(/^update phones/),
    expect.stringMatching(/^update devices/),
    expect.stringMatching(/^select count\(\*\)::int as added/),
    'COMMIT',
  ])
})
