// Attacks on the console: earlier links, planted sessions, many addresses, and hostile paths.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  consoleClient,
  consoleUser,
  operatorLink,
  statusOfLink,
  testPassword,
  tokenOf,
  type ConsoleAnswer,
} from '../../../testing/console-client.js'
import { duringLock } from '../../../testing/lock-waits.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_TRUSTED_PROXIES: '127.0.0.1' } })
  tenant = await plane.tenant()
})
// Tests share an address.
beforeEach(async () => {
  await plane.app.core.db.attempt.deleteMany()
})

describe('links', () => {
  it('end with the first operator when they are from earlier starts, and later ones are valid', async () => {
    const [earlier, link] = [
      await operatorLink(plane, '/invitations'),
      await operatorLink(plane, '/invitations'),
    ]
    const user = { name: 'Olga', email: 'olga@example.com', password: testPassword }
    const accepted = await consoleClient(plane).ask('POST', '/invitations/accept', {
      body: { token: link, user },
    })
    expect(accepted.status).toBe(200)
    expect(await statusOfLink(plane, earlier)).toBe(404)
    const [second, third] = [
      await operatorLink(plane, '/invitations'),
      await operatorLink(plane, '/invitations'),
    ]
    const next = { ...user, email: 'otto@example.com' }
    await consoleClient(plane).ask('POST', '/invitations/accept', { body: { token: second, user: next } })
    expect(await statusOfLink(plane, third)).toBe(200)
  })

  it('end when the owner who made them is removed, or is no longer an owner', async () => {
    const projectId = tenant.projectId
    const { client: operator } = await consoleUser(plane, { role: 'operator' })
    for (const change of ['remove', 'demote'] as const) {
      const { client, userId } = await consoleUser(plane, { role: 'owner', projectId })
      await consoleUser(plane, { role: 'owner', projectId })
      const body = { email: `${change}@example.com`, role: 'owner' }
      const made = await client.ask('POST', `/projects/${projectId}/invitations`, { body })
      const token = tokenOf(made.body['url'])
      expect(await statusOfLink(plane, token)).toBe(200)
      const at = `/projects/${projectId}/members/${userId}`
      const changed =
        change === 'remove'
          ? await operator.ask('DELETE', at)
          : await operator.ask('PATCH', at, { body: { role: 'member' } })
      expect([changed.status, await statusOfLink(plane, token)]).toEqual([200, 404])
    }
  })
})

describe('concurrent changes by owners', () => {
  const members = () => `/projects/${tenant.projectId}/members`
  const owner = () => consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
  const during = (change: string | undefined, racing: () => Promise<ConsoleAnswer>[]) =>
    duringLock(
      plane,
      { table: 'projects', id: tenant.projectId, ...(change === undefined ? {} : { change }) },
      racing,
    )

  it('are refused to an owner whom another one has just removed', async () => {
    const [ann, ben, friend] = [await owner(), await owner(), await owner()]
    const asked = { email: 'friend@example.org', role: 'owner' }
    const made = await ann.client.ask('POST', `/projects/${tenant.projectId}/invitations`, { body: asked })
    const leaves = `delete from members where project_id = $1 and user_id = '${ben.userId}'`
    const body = { email: 'ben@example.org', role: 'owner' }
    for (const act of [
      () => ben.client.ask('POST', `/projects/${tenant.projectId}/invitations`, { body }),
      () => ben.client.ask('DELETE', `/projects/${tenant.projectId}/invitations/${String(made.body['id'])}`),
      () => ben.client.ask('DELETE', `${members()}/${friend.userId}`),
    ]) {
      const [answer] = await during(leaves, () => [act()])
      expect([answer?.status, answer?.body['error']]).toMatchObject([404, { code: 'not_found' }])
      await plane.app.core.db.member.create({
        data: { projectId: tenant.projectId, userId: ben.userId, role: 'owner', createdAt: new Date() },
      })
    }
    const { db } = plane.app.core
    expect(await db.invitation.count({ where: { createdBy: ben.userId } })).toBe(0)
    expect(await db.member.count({ where: { userId: friend.userId } })).toBe(1)
  })
})

describe('attempts from many addresses', () => {
  const statuses = async (
    addressOf: (count: number) => string,
    path: string,
    bodyOf: (count: number) => object,
  ) => {
    const found = new Set<number>()
    for (let count = 0; count < 21; count += 1) {
      const headers = { 'x-forwarded-for': addressOf(count) }
      found.add((await consoleClient(plane).ask('POST', path, { headers, body: bodyOf(count) })).status)
    }
    return [...found]
  }
  const reset = () => ({ token: 'pri_x', password: testPassword })
  // Each account has its own limit.
  const wrong = (count: number) => ({ email: `nobody${count}@example.com`, password: 'wrong password' })

  it('count as one when they are of one IPv6 network', async () => {
    const inOneNetwork = (count: number) => `2001:db8:1:2::${count}`
    expect(await statuses(inOneNetwork, '/resets/accept', reset)).toEqual([404, 429])
    await plane.app.core.db.attempt.deleteMany()
    expect(await statuses(inOneNetwork, '/auth/sign-in/email', wrong)).toEqual([401, 429])
  })

  it('do not add up when they are of different networks', async () => {
    expect(await statuses((count) => `2001:db8:${count}:2::1`, '/resets/accept', reset)).toEqual([404])
  })
})
