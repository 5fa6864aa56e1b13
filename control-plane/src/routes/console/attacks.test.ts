// Attacks on the console: earlier links, planted sessions, many addresses, and hostile paths.
import { newId } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  consoleClient,
  consoleUser,
  operatorDesk,
  testPassword,
  type ConsoleAnswer,
  type ConsoleClient,
} from '../../testing/console-client.js'
import { duringLock } from '../../testing/lock-waits.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { isOperatorRoute, rules } from './rules.js'

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

const operatorLink = async (path: '/invitations' | '/resets', payload: object = {}): Promise<string> => {
  const made = await plane.operator.inject({
    method: 'POST',
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    payload,
  })
  return new URL(made.json<{ url: string }>().url).hash.slice(1)
}
const look = async (token: string): Promise<number> =>
  (await consoleClient(plane).ask('POST', '/invitations/look', { body: { token } })).status
const tokenOf = (url: unknown): string => new URL(String(url)).hash.slice(1)

describe('links', () => {
  it('end with the first operator when they are from earlier starts, and later ones are valid', async () => {
    const [earlier, link] = [await operatorLink('/invitations'), await operatorLink('/invitations')]
    const user = { name: 'Olga', email: 'olga@example.com', password: testPassword }
    const accepted = await consoleClient(plane).ask('POST', '/invitations/accept', {
      body: { token: link, user },
    })
    expect(accepted.status).toBe(200)
    expect(await look(earlier)).toBe(404)
    const [second, third] = [await operatorLink('/invitations'), await operatorLink('/invitations')]
    const next = { ...user, email: 'otto@example.com' }
    await consoleClient(plane).ask('POST', '/invitations/accept', { body: { token: second, user: next } })
    expect(await look(third)).toBe(200)
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
      expect(await look(token)).toBe(200)
      const at = `/projects/${projectId}/members/${userId}`
      const changed =
        change === 'remove'
          ? await operator.ask('DELETE', at)
          : await operator.ask('PATCH', at, { body: { role: 'member' } })
      expect([changed.status, await look(token)]).toEqual([200, 404])
    }
  })

  it('for a new password end with a new password, and replace the passkeys of the account', async () => {
    const { client, email, userId } = await consoleUser(plane, {
      role: 'viewer',
      projectId: tenant.projectId,
    })
    const { db } = plane.app.core
    await db.passkey.create({
      data: {
        ...{ id: newId('passkey'), userId, publicKey: 'AA', credentialID: newId('passkey'), counter: 0 },
        ...{ deviceType: 'singleDevice', backedUp: false },
      },
    })
    const earlier = await operatorLink('/resets', { email })
    await client.ask('POST', '/me/password', { body: { password: 'another password' } })
    expect(await look(earlier)).toBe(404)
    expect(await db.passkey.count({ where: { userId } })).toBe(1)
    const [first, second] = [
      await operatorLink('/resets', { email }),
      await operatorLink('/resets', { email }),
    ]
    const body = { token: first, password: 'yet another password' }
    expect((await consoleClient(plane).ask('POST', '/resets/accept', { body })).status).toBe(200)
    expect(await look(second)).toBe(404)
    expect(await db.passkey.count({ where: { userId } })).toBe(0)
  })
})

it('a deleted user has no session, no project and no open link, and cannot sign in', async () => {
  const { client, email, userId } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
  const body = { email: 'friend@example.com', role: 'owner' }
  const made = await client.ask('POST', `/projects/${tenant.projectId}/invitations`, { body })
  const reset = await operatorLink('/resets', { email })
  const asOperator = (method: 'GET' | 'DELETE', url: string) =>
    plane.operator.inject({
      ...{ method, url: `/operator/v1${url}`, headers: { authorization: `Bearer ${plane.operatorToken}` } },
    })
  const listed = (await asOperator('GET', '/users')).json<{ data: { id: string }[] }>().data
  expect(listed.find(({ id }) => id === userId)).toMatchObject({
    ...{ email, is_operator: false, projects: [{ project: tenant.projectId, role: 'owner' }] },
  })
  expect((await asOperator('DELETE', `/users/${userId}`)).statusCode).toBe(200)
  expect((await asOperator('DELETE', `/users/${userId}`)).statusCode).toBe(404)
  expect((await client.ask('GET', '/me/sessions')).status).toBe(401)
  const signIn = { email, password: testPassword }
  expect((await consoleClient(plane).ask('POST', '/auth/sign-in/email', { body: signIn })).status).toBe(401)
  expect([await look(tokenOf(made.body['url'])), await look(reset)]).toEqual([404, 404])
})

describe('a session', () => {
  it('ends at a sign-in when it was planted in the browser, and is replaced', async () => {
    const attacker = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const { email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const victim = consoleClient(plane)
    for (const [name, value] of attacker.client.cookies) victim.cookies.set(name, value)
    const planted = victim.cookies.get('phonerack.session_token')
    const signIn = { email, password: testPassword, callbackURL: 'https://evil.example', rememberMe: false }
    const { status, headers } = await victim.ask('POST', '/auth/sign-in/email', { body: signIn })
    expect([status, headers['location']]).toEqual([200, undefined])
    expect(victim.cookies.get('phonerack.session_token')).not.toBe(planted)
    expect((await victim.ask('GET', '/session')).body['user']).toMatchObject({ email })
    expect((await attacker.client.ask('GET', '/me/sessions')).status).toBe(401)
  })

  it('ends when the same browser accepts a link as another user', async () => {
    const before = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const copy = consoleClient(plane)
    for (const [name, value] of before.client.cookies) copy.cookies.set(name, value)
    const user = { name: 'New', email: `${newId('user')}@example.com`, password: testPassword }
    const token = await operatorLink('/invitations')
    await before.client.ask('POST', '/invitations/accept', { body: { token, user } })
    expect((await before.client.ask('GET', '/session')).body['user']).toMatchObject({ email: user.email })
    expect((await copy.ask('GET', '/me/sessions')).status).toBe(401)
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

  it('leave an owner when two demote each other', async () => {
    const [ann, ben] = [await owner(), await owner()]
    // Another one, so that the project keeps an owner without both.
    await owner()
    const body = { role: 'viewer' }
    const answers = await during(undefined, () => [
      ann.client.ask('PATCH', `${members()}/${ben.userId}`, { body }),
      ben.client.ask('PATCH', `${members()}/${ann.userId}`, { body }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    const left = await plane.app.core.db.member.findMany({
      where: { projectId: tenant.projectId, userId: { in: [ann.userId, ben.userId] } },
    })
    expect(left.map(({ role }) => role).sort()).toEqual(['owner', 'viewer'])
  })

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

describe('a path that Postgres cannot store', () => {
  let user: ConsoleClient
  let operator: ConsoleClient
  beforeAll(async () => {
    const { client, email } = await consoleUser(plane, { role: 'operator' })
    user = client
    operator = await operatorDesk(plane, email)
  })

  it.each(Object.keys(rules).filter((route) => route.includes(':')))(
    '%s does not fail for it',
    async (route) => {
      const client = isOperatorRoute(route) ? operator : user
      const [method = '', path = ''] = route.split(' ')
      const hostile = path.replace(':project', tenant.projectId).replace(/:\w+/g, '%00')
      for (const at of new Set([hostile, path.replace(/:\w+/g, '%00')])) {
        if (at === path.replace(':project', tenant.projectId)) continue
        const { status } = await client.ask(method, at, method === 'GET' ? {} : { body: {} })
        expect([200, 400, 404]).toContain(status)
      }
    },
  )
})
