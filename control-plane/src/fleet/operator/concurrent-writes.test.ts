// Two operators send the same request concurrently, to two replicas: one change is made, and both responses
// are correct.
import { beforeAll, expect, it } from 'vitest'
import { useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let planes: Plane[]
let ahead = 0
/** Advances at each read, so that no two times are equal. */
const clock = { now: () => new Date(Date.now() + (ahead += 1000)) }
beforeAll(async () => {
  const plane = await world.start({ clock })
  planes = [plane, await world.start({ clock, beside: plane })]
})

type Method = 'POST' | 'DELETE'
interface Answer extends Record<string, unknown> {
  status: number
}
async function send(on: Plane, method: Method, path: string, payload?: object): Promise<Answer> {
  const answer = await on.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${on.operatorToken}` },
    ...(payload ? { payload } : {}),
  })
  return { status: answer.statusCode, ...answer.json<object>() }
}
const first = (): Plane => {
  const [plane] = planes
  if (!plane) throw new Error('no plane')
  return plane
}
const concurrently = (method: Method, path: string, payload?: object): Promise<Answer[]> =>
  Promise.all([0, 1, 2, 3, 4, 5].map((at) => send(planes[at % 2] ?? first(), method, path, payload)))

interface Facts {
  revoked_at: string | null
}

it.each([
  [
    'a key',
    async () =>
      `/keys/${String((await send(first(), 'POST', '/keys', { project: (await first().tenant()).projectId }))['id'])}`,
  ],
  [
    'an operator token',
    async () =>
      `/operator-tokens/${String((await send(first(), 'POST', '/operator-tokens', { name: 'x' }))['id'])}`,
  ],
])('revokes %s once: every response and every audit entry has the same time', async (_, make) => {
  const path = await make()
  const answers = await concurrently('DELETE', path)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const times = new Set(answers.map((answer) => answer['revoked_at']))
  expect([...times]).toHaveLength(1)
  const rows = await first().app.core.db.auditEntry.findMany({
    where: { target: path.split('/').at(-1) ?? '', action: { endsWith: '.revoke' } },
  })
  const facts = rows.map(({ before, after }) => [before, after] as unknown as [Facts, Facts])
  expect(facts.filter(([before]) => before.revoked_at === null)).toHaveLength(1)
  expect(new Set(facts.map(([, after]) => after.revoked_at))).toEqual(times)
})

it('creates one owner for concurrent projects that name it', async () => {
  for (const owner of ['Ann', 'Ben', 'Cleo', 'Dan']) {
    const answers = await concurrently('POST', '/projects', { name: 'Shop', owner })
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(answers.map((answer) => answer['owner_id'])).size).toBe(1)
  }
})

it('pauses the service once', async () => {
  const answers = await concurrently('POST', '/service/pause')
  expect(new Set(answers.map((answer) => answer['paused_at'])).size).toBe(1)
  await send(first(), 'POST', '/service/resume')
})
