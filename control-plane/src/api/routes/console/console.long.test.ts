// Sign-in, invitations, members and keys of the console, by requests as a browser sends them.
import { createLogger, hashSecret } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { consoleClient, consoleUser, testPassword } from '../../../testing/console-client.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'
import { passwordAttempts } from '../../../people/users/passwords.js'

const world = useWorld()
let planes: [Plane, Plane]
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  planes = [plane, await world.start({ beside: plane })]
  tenant = await plane.tenant()
})

const errorOf = (body: Record<string, unknown>) =>
  body['error'] as { code: string; message: string; details: object }
const operatorAsks = async (method: 'GET' | 'POST', path: string) => {
  const answer = await plane.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}

describe('the first operator', () => {
  it('comes by a link that works once, and is audited', async () => {
    expect((await operatorAsks('GET', '/console')).body).toMatchObject({ has_operator: false })
    const made = await operatorAsks('POST', '/invitations')
    expect(made.status).toBe(201)
    const url = new URL(String(made.body['url']))
    expect([url.hostname, url.pathname]).toEqual(['localhost', '/console/welcome'])
    const token = url.hash.slice(1)
    const client = consoleClient(plane)
    const looked = await client.ask('POST', '/invitations/look', { body: { token } })
    expect(looked.body).toEqual({ role: 'operator', email: null, project: null })
    const user = { name: 'Olga', email: 'Olga@Example.com', password: testPassword }
    const accepted = await client.ask('POST', '/invitations/accept', { body: { token, user } })
    expect(accepted.status).toBe(200)
    const { body } = await client.ask('GET', '/session')
    expect(body['user']).toMatchObject({ email: 'olga@example.com', is_operator: true })
    // Every project, since operators can change all.
    expect(body['projects']).toEqual([expect.objectContaining({ id: tenant.projectId, role: 'owner' })])
    const again = await consoleClient(plane).ask('POST', '/invitations/accept', { body: { token, user } })
    expect([again.status, errorOf(again.body).code]).toEqual([404, 'not_found'])
    expect((await operatorAsks('GET', '/console')).body).toMatchObject({ has_operator: true })
    const entries = await plane.app.core.db.auditEntry.findMany({ where: { tokenName: 'olga@example.com' } })
    expect(entries.map(({ action }) => action)).toEqual(['invitation.accept'])
    expect(JSON.stringify(await operatorAsks('GET', '/audit'))).not.toContain(token)
  })
})

describe('a session', () => {
  it('is valid on another replica, and ends there with a sign-out', async () => {
    const { client, email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const elsewhere = consoleClient(planes[1])
    for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value)
    expect((await elsewhere.ask('GET', '/me/sessions')).status).toBe(200)
    expect((await client.ask('POST', '/auth/sign-out', { body: {} })).status).toBe(200)
    // The other replica reads the session again within a second.
    await eventually(async () => (await elsewhere.ask('GET', '/me/sessions')).status === 401)
    const signIn = await client.ask('POST', '/auth/sign-in/email', {
      body: { email, password: testPassword },
    })
    // The token stays in the cookie.
    expect([signIn.status, signIn.body]).toEqual([200, { ok: true }])
    expect((await client.ask('GET', '/me/sessions')).status).toBe(200)
  })

  it('has cookies that scripts and other sites do not get', async () => {
    const { client, email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const { headers } = await client.ask('POST', '/auth/sign-in/email', {
      body: { email, password: testPassword },
    })
    const cookies = [headers['set-cookie']].flat().map(String)
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly.*; SameSite=Lax/i)
  })

  it('is listed, and revoked by another one', async () => {
    const { client, email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const second = consoleClient(plane)
    await second.ask('POST', '/auth/sign-in/email', { body: { email, password: testPassword } })
    const listed = (await client.ask('GET', '/me/sessions')).body['data'] as {
      id: string
      is_current: boolean
    }[]
    expect(listed.map(({ is_current: isCurrent }) => isCurrent).sort()).toEqual([false, true])
    const other = listed.find(({ is_current: isCurrent }) => !isCurrent)
    expect((await client.ask('DELETE', `/me/sessions/${other?.id}`)).status).toBe(200)
    expect((await second.ask('GET', '/me/sessions')).status).toBe(401)
    expect((await client.ask('GET', '/me/sessions')).status).toBe(200)
  })
})

describe('a sign-in', () => {
  it('is refused after 10 wrong passwords of an account, on every replica and from every address', async () => {
    const { email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const attempt = (on: Plane, password: string) =>
      consoleClient(on).ask('POST', '/auth/sign-in/email', { body: { email, password } })
    for (let count = 0; count < 10; count += 1) {
      const { status, body } = await attempt(planes[count % 2 === 0 ? 0 : 1], 'wrong password')
      expect([status, errorOf(body).details]).toEqual([401, { reason: 'refused' }])
    }
    for (const on of planes) {
      const { status, body, headers } = await attempt(on, testPassword)
      expect([status, errorOf(body).code]).toEqual([429, 'rate_limited'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    // Other tests sign in from the same address.
    await plane.app.core.db.attempt.deleteMany()
  })

  it('at the operators’ console is not locked by wrong passwords at the public one', async () => {
    const { email } = await consoleUser(plane, { role: 'operator' })
    const attempt = (at: 'public' | 'operator', password: string) =>
      consoleClient(plane, at).ask('POST', '/auth/sign-in/email', { body: { email, password } })
    for (let count = 0; count < 11; count += 1) await attempt('public', 'wrong password')
    expect((await attempt('public', testPassword)).status).toBe(429)
    expect((await attempt('operator', testPassword)).status).toBe(200)
    await plane.app.core.db.attempt.deleteMany()
  })

  it('does not count for the account when its address has sent too many', async () => {
    const { email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const attempt = (who: string) =>
      consoleClient(plane).ask('POST', '/auth/sign-in/email', {
        body: { email: who, password: 'wrong password' },
      })
    for (let count = 0; count < 20; count += 1)
      expect((await attempt(`nobody${count}@example.com`)).status).toBe(401)
    expect((await attempt(email)).status).toBe(429)
    const subject = hashSecret(passwordAttempts('phonerack', email))
    expect(await plane.app.core.db.attempt.count({ where: { subject } })).toBe(0)
    await plane.app.core.db.attempt.deleteMany()
  })

  it('answers the same for an unknown account as for a wrong password', async () => {
    const { email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const answers = []
    for (const each of [email, 'nobody@example.com']) {
      const body = { email: each, password: 'wrong password' }
      const answer = await consoleClient(plane).ask('POST', '/auth/sign-in/email', { body })
      answers.push([answer.status, errorOf(answer.body).message])
    }
    expect(answers[0]).toEqual(answers[1])
  })
})

describe('a forged request', () => {
  it.each([
    ['from another origin', { origin: 'https://evil.example' }],
    ['without an origin', { origin: undefined }],
    ['without a token', { 'x-csrf-token': '' }],
    ['with a wrong token', { 'x-csrf-token': 'x'.repeat(43) }],
  ])('%s is refused and changes nothing', async (_, headers) => {
    const { client } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const before = await plane.app.core.db.apiKey.count()
    const answer = await client.ask('POST', `/projects/${tenant.projectId}/keys`, {
      body: { name: 'forged' },
      headers,
    })
    expect([answer.status, errorOf(answer.body).code]).toEqual([403, 'browser_requests_not_allowed'])
    expect(await plane.app.core.db.apiKey.count()).toBe(before)
  })

  it('with the token of another session is refused', async () => {
    const one = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const other = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const { body } = await other.client.ask('GET', '/session')
    const answer = await one.client.ask('POST', '/projects', {
      body: { name: 'x' },
      headers: { 'x-csrf-token': String(body['csrf_token']) },
    })
    expect(answer.status).toBe(403)
  })

  it('is not what a page sends that opened with a session that has ended', async () => {
    const { client, userId } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    await plane.app.core.db.userSession.deleteMany({ where: { userId } })
    const opened = await client.ask('GET', '/session')
    const answer = await client.ask('POST', '/auth/sign-in/email', {
      body: { email: 'nobody@example.com', password: 'wrong password' },
      headers: { 'x-csrf-token': String(opened.body['csrf_token']) },
    })
    expect([answer.status, errorOf(answer.body).code]).toEqual([401, 'unauthorized'])
    // Other tests sign in from the same address.
    await plane.app.core.db.attempt.deleteMany()
  })

  it('by GET from another site reads nothing', async () => {
    const { client } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await client.ask('GET', '/session', { headers })).status).toBe(403)
  })
})

describe('members', () => {
  it('are invited for their address, and the last owner stays', async () => {
    const { client, userId } = await consoleUser(plane, { role: 'operator' })
    const project = (await client.ask('POST', '/projects', { body: { name: 'Team' } })).body['id'] as string
    const at = `/projects/${project}`
    const invited = await client.ask('POST', `${at}/invitations`, {
      body: { email: 'Vera@example.com', role: 'viewer' },
    })
    expect(invited.status).toBe(201)
    const token = new URL(String(invited.body['url'])).hash.slice(1)
    const wrong = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const refused = await wrong.client.ask('POST', '/invitations/accept', { body: { token } })
    expect(errorOf(refused.body).details).toEqual({ reason: 'other_account' })
    const vera = consoleClient(plane)
    // The account gets the address of the invitation. The request's address is ignored.
    const user = { name: 'Vera', email: 'somebody@example.com', password: testPassword }
    expect((await vera.ask('POST', '/invitations/accept', { body: { token, user } })).status).toBe(200)
    const session = (await vera.ask('GET', '/session')).body
    expect(session).toMatchObject({
      user: { email: 'vera@example.com', is_operator: false },
      projects: [{ id: project, role: 'viewer' }],
    })
    const last = await client.ask('DELETE', `${at}/members/${userId}`)
    expect([last.status, errorOf(last.body).message]).toEqual([400, 'The project needs an owner.'])
    const { id: veraId } = session['user'] as { id: string }
    expect((await client.ask('PATCH', `${at}/members/${veraId}`, { body: { role: 'owner' } })).status).toBe(
      200,
    )
    expect((await client.ask('DELETE', `${at}/members/${userId}`)).status).toBe(200)
    expect((await vera.ask('GET', `${at}/members`)).body['data']).toHaveLength(1)
  })
})

describe('keys', () => {
  it('are created, work, and are refused when revoked; the audit log names the user', async () => {
    const { client, email } = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
    const at = `/projects/${tenant.projectId}/keys`
    const made = await client.ask('POST', at, {
      body: { name: 'agent one', preset: 'agent', expires: '30d' },
    })
    expect(made.status).toBe(201)
    const key = String(made.body['key'])
    const use = () => plane.server.inject({ url: '/v1/account', headers: { authorization: `Bearer ${key}` } })
    expect((await use()).statusCode).toBe(200)
    const { body } = await client.ask('GET', at)
    expect(JSON.stringify(body)).not.toContain(key)
    expect((await client.ask('DELETE', `${at}/${String(made.body['id'])}`)).status).toBe(200)
    // Other replicas learn of the change over NATS, as does the cache of this replica.
    await eventually(async () => (await use()).statusCode === 401)
    const entries = await plane.app.core.db.auditEntry.findMany({ where: { tokenName: email } })
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'invitation.accept',
      'key.create',
      'key.revoke',
    ])
  })

  it('are not found when they belong to another project', async () => {
    const other = await plane.tenant()
    const { client } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const { id } = await plane.app.core.db.apiKey.findFirstOrThrow({ where: { projectId: other.projectId } })
    expect((await client.ask('DELETE', `/projects/${tenant.projectId}/keys/${id}`)).status).toBe(404)
    const row = await plane.app.core.db.apiKey.findUniqueOrThrow({ where: { id } })
    expect(row.revokedAt).toBeNull()
  })
})

it('an unknown path of the API is 404, and not the page', async () => {
  const answer = await consoleClient(plane).ask('GET', '/unknown')
  expect([answer.status, errorOf(answer.body).code]).toEqual([404, 'not_found'])
})

it('a session survives a restart of the replica, and its token alone is worth nothing', async () => {
  const { client, userId } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const log = createLogger('test')
  log.level = 'silent'
  const restarted = await world.start({ beside: plane, log })
  const after = consoleClient(restarted)
  for (const [name, value] of client.cookies) after.cookies.set(name, value)
  expect((await after.ask('GET', '/me/sessions')).status).toBe(200)
  // A copy of the database contains the session's token, but not the key that signs the cookie.
  const { token } = await plane.app.core.db.userSession.findFirstOrThrow({ where: { userId } })
  after.cookies.set('phonerack.session_token', token)
  expect((await after.ask('GET', '/me/sessions')).status).toBe(401)
})

describe('a terminal', () => {
  const begin = async () =>
    (await plane.server.inject({ method: 'POST', url: '/v1/setup', payload: { client: 'laptop' } })).json<{
      setup_token: string
      user_code: string
    }>()
  const collect = (token: string) =>
    plane.server.inject({ method: 'POST', url: '/v1/setup/token', payload: { setup_token: token } })

  it('gets a key of the project that a member chooses, and nobody else decides again', async () => {
    const { client, email } = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
    const { setup_token: token, user_code: code } = await begin()
    const looked = await client.ask('POST', '/terminals/look', { body: { user_code: code.toLowerCase() } })
    expect(looked.body).toMatchObject({ client: 'laptop' })
    const at = `/projects/${tenant.projectId}/terminals/allow`
    expect((await client.ask('POST', at, { body: { user_code: code } })).status).toBe(200)
    expect((await client.ask('POST', at, { body: { user_code: code } })).status).toBe(404)
    const collected = (await collect(token)).json<{ status: string; api_key: string }>()
    expect(collected.status).toBe('approved')
    const used = await plane.server.inject({
      url: '/v1/account',
      headers: { authorization: `Bearer ${collected.api_key}` },
    })
    expect(used.statusCode).toBe(200)
    const entries = await plane.app.core.db.auditEntry.findMany({ where: { tokenName: email } })
    expect(entries.map(({ action }) => action)).toContain('setup.allow')
  })

  it('is denied, and hears it', async () => {
    const { client } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const { setup_token: token, user_code: code } = await begin()
    expect((await client.ask('POST', '/terminals/deny', { body: { user_code: code } })).status).toBe(200)
    expect((await collect(token)).json<{ error: { code: string } }>().error.code).toBe('setup_denied')
  })
})
