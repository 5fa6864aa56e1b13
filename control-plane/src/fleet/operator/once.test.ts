// An operator's write with an Idempotency-Key is done once across all replicas. The response is stored
// sealed.
import { hashSecret } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { forget } from '../jobs/reconcile.js'
import { makeApk } from '../../testing/apk.js'
import { brokenInvariants } from '../../testing/money.js'
import { useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let beside: Plane
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }
beforeAll(async () => {
  plane = await world.start({ clock })
  beside = await world.start({ clock, beside: plane })
})

type Body = Record<string, unknown> & { error?: { code: string } }
let made = 0
const newKey = () => `test-key-${++made}`
async function send(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  payload: object | Buffer | undefined,
  key: string,
  { on = plane, token = plane.operatorToken } = {},
) {
  const answer = await on.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
    ...(payload ? { payload } : {}),
  })
  return { status: answer.statusCode, body: answer.json<Body>() }
}
const newProject = async () =>
  String((await send('POST', '/projects', { name: 'Once' }, newKey())).body['id'])
const balanceOf = async (id: string) =>
  (await plane.app.core.db.project.findUniqueOrThrow({ where: { id } })).balanceMicros

it('adds credit once for any number of repeats, on any replica', async () => {
  const id = await newProject()
  const key = newKey()
  const give = (on: Plane) => send('PATCH', `/projects/${id}`, { credit_usd: '12.5' }, key, { on })
  const answers = await Promise.all([plane, beside, plane, beside, plane, beside].map(give))
  answers.push(await give(beside))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  for (const { body } of answers) expect(body).toEqual(answers[0]?.body)
  expect(await balanceOf(id)).toBe(12_500_000n)
  expect(await plane.app.core.db.auditEntry.count({ where: { target: id, action: 'project.change' } })).toBe(
    1,
  )
  expect((await send('PATCH', `/projects/${id}`, { credit_usd: '12.5' }, newKey())).status).toBe(200)
  expect(await balanceOf(id)).toBe(25_000_000n)
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

it('creates one project with its credit', async () => {
  const key = newKey()
  const body = { name: 'Funded', owner: 'Ann', credit_usd: '3' }
  const [one, two] = await Promise.all(
    [plane, beside].map((on) => send('POST', '/projects', body, key, { on })),
  )
  expect([one?.status, two?.status]).toEqual([201, 201])
  expect(one?.body).toEqual(two?.body)
  expect(one?.body).toMatchObject({ name: 'Funded', balance_usd: '3.000000' })
  expect(await plane.app.core.db.project.count({ where: { name: 'Funded' } })).toBe(1)
})

it('repeats a response with a secret, and stores it so that only the token opens it', async () => {
  const project = await newProject()
  const key = newKey()
  const first = await send('POST', '/keys', { project }, key)
  expect(await send('POST', '/keys', { project }, key, { on: beside })).toEqual(first)
  const secret = String(first.body['key'])
  expect((await plane.app.services.keys.authenticate(secret)).projectId).toBe(project)
  const rows = await plane.app.core.db.operatorRequest.findMany()
  expect(rows.length).toBeGreaterThan(0)
  for (const { answer } of rows) expect(Buffer.from(answer).includes(secret.slice(4))).toBe(false)
  const other = (await send('POST', '/operator-tokens', { name: 'other' }, newKey())).body
  const theirs = await send('POST', '/keys', { project }, key, { token: String(other['token']) })
  expect(theirs.status).toBe(201)
  expect(theirs.body['key']).not.toBe(secret)
})

it('refuses the key in another request', async () => {
  const id = await newProject()
  const key = newKey()
  expect((await send('PATCH', `/projects/${id}`, { credit_usd: '1' }, key)).status).toBe(200)
  for (const again of [
    () => send('PATCH', `/projects/${id}`, { credit_usd: '2' }, key),
    () => send('POST', '/projects', { name: 'x' }, key),
    async () => send('PATCH', `/projects/${await newProject()}`, { credit_usd: '1' }, key),
  ]) {
    const { status, body } = await again()
    expect([status, body.error?.code]).toEqual([409, 'idempotency_conflict'])
  }
  expect(await balanceOf(id)).toBe(1_000_000n)
})

it('leaves the key free when the request was refused', async () => {
  const id = await newProject()
  const key = newKey()
  expect((await send('PATCH', `/projects/${id}`, { spend_limit_usd: '-1' }, key)).status).toBe(400)
  expect((await send('PATCH', `/projects/${id}`, { credit_usd: '1' }, key)).status).toBe(200)
})

it.each(['short', 'x'.repeat(129), '-starts-wrong', 'with space', 'ümlaut-key'])(
  'refuses the key %j',
  async (key) => {
    const { status, body } = await send('POST', '/projects', { name: 'No' }, key)
    expect([status, body.error?.code]).toEqual([400, 'validation_failed'])
    expect(await plane.app.core.db.project.count({ where: { name: 'No' } })).toBe(0)
  },
)

it('recognises a file that is sent again by its content', async () => {
  const key = newKey()
  const [apk, other] = [makeApk({ package: 'com.once.one' }), makeApk({ package: 'com.once.two' })]
  const first = await send('POST', '/library/files', apk, key)
  expect(first.status).toBe(201)
  expect(await send('POST', '/library/files', apk, key)).toEqual(first)
  expect((await send('POST', '/library/files', other, key)).status).toBe(409)
})

it('forgets a key after 24 hours', async () => {
  const id = await newProject()
  const key = newKey()
  const give = () => send('PATCH', `/projects/${id}`, { credit_usd: '1' }, key)
  await give()
  ahead += 23.9 * 3_600_000
  await forget(plane.app.core)
  await give()
  expect(await balanceOf(id)).toBe(1_000_000n)
  ahead += 0.2 * 3_600_000
  await give()
  expect(await balanceOf(id)).toBe(2_000_000n)
  ahead += 25 * 3_600_000
  await forget(plane.app.core)
  expect(await plane.app.core.db.operatorRequest.count()).toBe(0)
})

it('refuses NUL in IDs without an internal error', async () => {
  for (const path of ['/projects/a%00b', '/keys/a%00b', '/operator-tokens/a%00']) {
    const { status } = await send(
      path.startsWith('/projects') ? 'PATCH' : 'DELETE',
      path,
      undefined,
      newKey(),
    )
    expect(status, path).toBe(404)
  }
  const body = { project: 'a\u0000b' }
  expect((await send('POST', '/keys', body, newKey())).status).toBe(400)
  expect(hashSecret(plane.operatorToken)).toHaveLength(64)
})
