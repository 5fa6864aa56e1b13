// The phones of all projects of a user, and the limits of a project. The tests insert rows of phones, since other tests cover the states of a phone.
import { newId } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { consoleUser, operatorDesk, type ConsoleClient } from '../../../testing/console-client.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'
import { type Role } from '../../../people/users/types.js'

const world = useWorld()
let plane: Plane
let shop: Tenant
let lab: Tenant
let others: Tenant
beforeAll(async () => {
  plane = await world.start()
  ;[shop, lab, others] = [await plane.tenant(), await plane.tenant(), await plane.tenant()]
  // Newest first: the two projects of the user take turns.
  for (const [index, { projectId }] of [shop, lab, others, shop, lab].entries())
    await addPhone(projectId, { name: `phone ${index}`, age: 100 - index })
  await addPhone(shop.projectId, { name: 'gone', age: 50, status: 'deleted' })
  await addPhone(lab.projectId, { name: 'broken', age: 51, status: 'failed' })
})

/** @param age minutes since it was created */
const addPhone = (projectId: string, { name = 'a phone', age = 0, status = 'parked' }) =>
  plane.app.core.db.phone.create({
    data: {
      id: newId('phone'),
      projectId,
      name,
      status,
      keyId: 'key_test',
      metadata: {},
      createdAt: new Date(Date.now() - age * 60_000),
    },
  })

async function userOf(memberships: readonly (readonly [Tenant, Role])[]) {
  const [[first, role] = [shop, 'viewer'] as const, ...rest] = memberships
  const user = await consoleUser(plane, { role, projectId: first.projectId })
  for (const [{ projectId }, each] of rest)
    await plane.app.core.db.member.create({
      data: { projectId, userId: user.userId, role: each, createdAt: new Date() },
    })
  return user
}

interface Listed {
  data: { name: string; status: string; project_id: string }[]
  next_cursor: string | null
  projects: { id: string; name: string; role: Role }[]
}

async function list(client: ConsoleClient, query: Record<string, string> = {}): Promise<Listed> {
  const { status, body } = await client.ask('GET', `/phones?${new URLSearchParams(query).toString()}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Listed
}
const namesIn = ({ data }: Listed): string[] => data.map(({ name }) => name)
const leave = (userId: string, { projectId }: Tenant) =>
  plane.app.core.db.member.delete({ where: { projectId_userId: { projectId, userId } } })

describe('the phones of all projects', () => {
  it('belong to the projects of the user, newest first, with their project and the role in it', async () => {
    const { client } = await userOf([
      [shop, 'viewer'],
      [lab, 'member'],
    ])
    const page = await list(client)
    expect(namesIn(page)).toEqual(['phone 4', 'phone 3', 'phone 1', 'phone 0'])
    expect(page.data.map(({ project_id: id }) => id)).toEqual(
      [lab, shop, lab, shop].map(({ projectId }) => projectId),
    )
    expect(page.projects.map(({ id, role }) => [id, role])).toEqual([
      [shop.projectId, 'viewer'],
      [lab.projectId, 'member'],
    ])
    expect(page.next_cursor).toBeNull()
  })

  it('can be limited to a state and to a project of the user', async () => {
    const { client } = await userOf([
      [shop, 'owner'],
      [lab, 'viewer'],
    ])
    expect(namesIn(await list(client, { status: 'deleted' }))).toEqual(['gone'])
    expect(namesIn(await list(client, { status: 'failed' }))).toEqual(['broken'])
    expect(namesIn(await list(client, { project: lab.projectId }))).toEqual(['phone 4', 'phone 1'])
    expect(namesIn(await list(client, { project: shop.projectId, status: 'failed' }))).toEqual([])
    for (const project of [others.projectId, newId('project'), "' or 1=1 --", ''])
      expect(namesIn(await list(client, { project }))).toEqual([])
    for (const query of ['status=lost', 'cursor=x'])
      expect((await client.ask('GET', `/phones?${query}`)).status).toBe(400)
  })

  it('leave out the projects in which an operator is not a member, at both listeners', async () => {
    const { client, email, userId } = await consoleUser(plane, { role: 'operator' })
    const none = { data: [], next_cursor: null, projects: [] }
    expect(await list(client)).toEqual(none)
    expect(await list(await operatorDesk(plane, email))).toEqual(none)
    expect(await list(client, { project: shop.projectId })).toEqual(none)
    await plane.app.core.db.member.create({
      data: { projectId: lab.projectId, userId, role: 'viewer', createdAt: new Date() },
    })
    const page = await list(client)
    expect(namesIn(page)).toEqual(['phone 4', 'phone 1'])
    // An operator has the rights of an owner in each project.
    expect(page.projects.map(({ role }) => role)).toEqual(['owner'])
  })

  it('come in pages, and a page has nothing of a project from which the user was removed in between', async () => {
    const [one, two] = [await plane.tenant(), await plane.tenant()]
    const { client, userId } = await userOf([
      [one, 'member'],
      [two, 'member'],
    ])
    const at = (index: number): Date => new Date(Date.now() - index * 1000)
    await plane.app.core.db.phone.createMany({
      data: Array.from({ length: 230 }, (_, index) => ({
        id: newId('phone'),
        name: `${index}`,
        status: 'parked',
        keyId: 'key_test',
        metadata: {},
        // Some phones are created in the same millisecond, also across projects.

        projectId: index % 2 === 0 ? one.projectId : two.projectId,
        createdAt: at(Math.floor(index / 5)),
      })),
    })
    const seen: Listed['data'] = []
    let cursor: string | null = null
    do {
      const page: Listed = await list(client, cursor === null ? {} : { cursor })
      seen.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toHaveLength(230)
    expect(new Set(seen.map(({ name }) => name)).size).toBe(230)

    const first = await list(client)
    expect(first.data).toHaveLength(100)
    await leave(userId, two)
    const second = await list(client, { cursor: first.next_cursor ?? '' })
    expect(second.projects.map(({ id }) => id)).toEqual([one.projectId])
    expect(new Set(second.data.map(({ project_id: id }) => id))).toEqual(new Set([one.projectId]))
    expect(namesIn(await list(client, { project: two.projectId }))).toEqual([])
    await leave(userId, one)
    expect(await list(client, { cursor: first.next_cursor ?? '' })).toEqual({
      data: [],
      next_cursor: null,
      projects: [],
    })
    // A cursor belongs to its user.
    const { client: stranger } = await userOf([[one, 'owner']])
    const stolen = await stranger.ask('GET', `/phones?cursor=${first.next_cursor}`)
    expect(stolen.status).toBe(400)
  })
})

it('the limits of a project are shown with their use, to viewers too', async () => {
  const owner = `owner ${newId('project')}`
  const tenant = await plane.tenant({ owner, maxPhones: 7, maxRunning: 3, spendLimit: '12.5' })
  const sister = await plane.tenant({ owner })
  await addPhone(tenant.projectId, { status: 'parked' })
  await addPhone(tenant.projectId, { status: 'deleted' })
  await addPhone(sister.projectId, { status: 'ready' })
  const { client } = await userOf([[tenant, 'viewer']])
  const { status, body } = await client.ask('GET', `/projects/${tenant.projectId}/limits`)
  expect([status, body]).toEqual([
    200,
    {
      running: { used: 1, limit: 3 },
      phones: { used: 1, limit: 7 },
      spent_this_month_usd: { used: '0.000000', limit: '12.500000' },
      recordings: { used: 0, limit: 20 },
      recording_bytes: { used: 0, limit: 20_000_000_000 },
      upload_bytes: { used: 0, limit: 524_288_000 },
      uploads_today: { used: 0, limit: 50 },
      keys: { used: 1, limit: 50 },
      webhooks: { used: 0, limit: 10 },
      steps_max_bytes: 1_000_000_000,
    },
  ])
})
