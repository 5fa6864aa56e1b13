// Attacks on the console: earlier links, planted sessions, many addresses, and hostile paths.
import { newId } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  consoleClient,
  consoleUser,
  operatorLink,
  operatorDesk,
  statusOfLink,
  testPassword,
  tokenOf,
  type ConsoleAnswer,
  type ConsoleClient,
} from '../../../testing/console-client.js'
import { duringLock } from '../../../testing/lock-waits.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'
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

describe('links', () => {
  it('for a new password end with a new password, and replace the passkeys of the account', async () => {
    const { client, email, userId } = await consoleUser(plane, {
      role: 'viewer',
      projectId: tenant.projectId,
    })
    const { db } = plane.app.core
    await db.passkey.create({
      data: {
        id: newId('passkey'),
        userId,
        publicKey: 'AA',
        credentialID: newId('passkey'),
        counter: 0,
        deviceType: 'singleDevice',
        backedUp: false,
      },
    })
    const earlier = await operatorLink(plane, '/resets', { email })
    await client.ask('POST', '/me/password', { body: { password: 'another password' } })
    expect(await statusOfLink(plane, earlier)).toBe(404)
    expect(await db.passkey.count({ where: { userId } })).toBe(1)
    const [first, second] = [
      await operatorLink(plane, '/resets', { email }),
      await operatorLink(plane, '/resets', { email }),
    ]
    const body = { token: first, password: 'yet another password' }
    expect((await consoleClient(plane).ask('POST', '/resets/accept', { body })).status).toBe(200)
    expect(await statusOfLink(plane, second)).toBe(404)
    expect(await db.passkey.count({ where: { userId } })).toBe(0)
  })
})

it('a deleted user has no session, no project and no open link, and cannot sign in', async () => {
  const { client, email, userId } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
  const body = { email: 'friend@example.com', role: 'owner' }
  const made = await client.ask('POST', `/projects/${tenant.projectId}/invitations`, { body })
  const reset = await operatorLink(plane, '/resets', { email })
  const asOperator = (method: 'GET' | 'DELETE', url: string) =>
    plane.operator.inject({
      method,
      url: `/operator/v1${url}`,
      headers: { authorization: `Bearer ${plane.operatorToken}` },
    })
  const listed = (await asOperator('GET', '/users')).json<{ data: { id: string }[] }>().data
  expect(listed.find(({ id }) => id === userId)).toMatchObject({
    email,
    is_operator: false,
    projects: [{ project: tenant.projectId, role: 'owner' }],
  })
  expect((await asOperator('DELETE', `/users/${userId}`)).statusCode).toBe(200)
  expect((await asOperator('DELETE', `/users/${userId}`)).statusCode).toBe(404)
  expect((await client.ask('GET', '/me/sessions')).status).toBe(401)
  const signIn = { email, password: testPassword }
  expect((await consoleClient(plane).ask('POST', '/auth/sign-in/email', { body: signIn })).status).toBe(401)
  expect([await statusOfLink(plane, tokenOf(made.body['url'])), await statusOfLink(plane, reset)]).toEqual([
    404, 404,
  ])
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
    const token = await operatorLink(plane, '/invitations')
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
    // A third owner, so that the project keeps an owner without the other two.
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
