// Named operator tokens: their expiry and revocation, their audit entries, and their storage as hashes.
import { hashSecret, newSecret } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { consoleClient, consoleUser, operatorDesk } from '../../testing/console-client.js'
import { refusalOf, useWorld, type Plane } from '../../testing/world.js'
import { checkJoinToken } from './admit-host.js'
import { setConfiguredOperator } from './configured.js'

const world = useWorld()
let plane: Plane
let beside: Plane
let ahead = 0
/** The time is just after the beginning of a minute, so that no count resets during a test. */
const start = Math.ceil(Date.now() / 60_000) * 60_000 + 1000
const clock = { now: () => new Date(start + ahead) }
beforeAll(async () => {
  plane = await world.start({ clock, env: { PHONERACK_FAILURES_PER_MINUTE: '60' } })
  beside = await world.start({ clock, beside: plane })
})

type Body = Record<string, unknown> & { error?: { code: string; details: Record<string, unknown> } }
async function call(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  payload?: object,
  token = plane.operatorToken,
  on = plane,
) {
  const answer = await on.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload ? { payload } : {}),
  })
  return { status: answer.statusCode, body: answer.json<Body>() }
}
const make = async (change: object = {}) => {
  const { status, body } = await call('POST', '/operator-tokens', { name: 'night shift', ...change })
  expect(status).toBe(201)
  return { id: String(body['id']), token: String(body['token']), expiresAt: body['expires_at'] }
}
const rowOf = async (id: string): Promise<Record<string, unknown>> => {
  const { body } = await call('GET', '/operator-tokens')
  const row = (body['data'] as Record<string, unknown>[]).find((each) => each['id'] === id)
  if (!row) throw new Error('not listed')
  return row
}

it('creates a named token that works on every replica, shows it once and stores only its hash', async () => {
  const { id, token, expiresAt } = await make()
  expect(token).toMatch(/^pro_[A-Za-z0-9_-]{43}$/)
  expect(id).toMatch(/^opt_[a-z2-7]{12}$/)
  expect(
    Math.abs(new Date(String(expiresAt)).getTime() - clock.now().getTime() - 90 * 86_400_000),
  ).toBeLessThan(10_000)
  for (const on of [plane, beside])
    expect((await call('GET', '/hosts', undefined, token, on)).status).toBe(200)
  const { body } = await call('GET', '/operator-tokens')
  expect(JSON.stringify(body)).not.toContain(token.slice(4))
  expect(JSON.stringify(await plane.app.core.db.operatorToken.findMany())).not.toContain(token.slice(4))
  expect(await rowOf(id)).toMatchObject({ name: 'night shift', revoked_at: null })
})

it('refuses a revoked token on every replica as soon as the revocation has answered', async () => {
  const { id, token } = await make()
  expect((await call('GET', '/hosts', undefined, token, beside)).status).toBe(200)
  expect((await call('DELETE', `/operator-tokens/${id}`)).body['revoked_at']).not.toBeNull()
  for (const on of [plane, beside]) {
    const { status, body } = await call('GET', '/hosts', undefined, token, on)
    expect([status, body.error?.code, body.error?.details]).toEqual([
      401,
      'unauthorized',
      { reason: 'revoked' },
    ])
  }
  const first = (await rowOf(id))['revoked_at']
  ahead += 5000
  expect((await call('DELETE', `/operator-tokens/${id}`)).body['revoked_at']).toBe(first)
  expect((await call('DELETE', '/operator-tokens/opt_aaaaaaaaaaaa')).status).toBe(404)
})

it.each([
  ['30d', 30],
  ['90d', 90],
  ['1y', 365],
])('ends a token that was created with %s after %i days', async (expires, days) => {
  const { token } = await make({ expires })
  ahead += days * 86_400_000 - 60_000
  expect((await call('GET', '/hosts', undefined, token)).status).toBe(200)
  ahead += 120_000
  const { status, body } = await call('GET', '/hosts', undefined, token)
  expect([status, body.error?.details]).toEqual([401, { reason: 'expired' }])
})

it('creates a token without an expiry when requested, and refuses invalid times and names', async () => {
  const { token, expiresAt } = await make({ expires: 'never' })
  expect(expiresAt).toBeNull()
  ahead += 4000 * 86_400_000
  expect((await call('GET', '/hosts', undefined, token)).status).toBe(200)
  for (const wrong of [
    { name: '' },
    { name: 'x'.repeat(81) },
    { name: 'a\u0000b' },
    { name: 'a\u001b[31mb' },
    { expires: '2d' },
    { other: 1 },
  ])
    expect(
      (await call('POST', '/operator-tokens', { name: 'x', ...wrong })).status,
      JSON.stringify(wrong),
    ).toBe(400)
  expect((await call('POST', '/operator-tokens', {})).status).toBe(400)
})

it('shows when a token was last used, to the minute', async () => {
  const { id, token } = await make()
  expect((await rowOf(id))['last_used_at']).toBeNull()
  const use = async () => {
    await call('GET', '/hosts', undefined, token)
    return new Date(String((await rowOf(id))['last_used_at'])).getTime()
  }
  const first = await use()
  expect(Math.abs(first - clock.now().getTime())).toBeLessThan(10_000)
  ahead += 30_000
  expect(await use()).toBe(first)
  ahead += 31_000
  expect(await use()).toBeGreaterThan(first)
})

it('revokes the configured token when the configuration names another, with an entry, and restores only tokens that no operator revoked', async () => {
  const { core } = plane.app
  const setConfigured = (token: string) => setConfiguredOperator(core, hashSecret(token), 'replica-x')
  const entries = async (token: string) => {
    const { id } = await core.db.operatorToken.findUniqueOrThrow({ where: { secretHash: hashSecret(token) } })
    const rows = await core.db.auditEntry.findMany({ where: { target: id }, orderBy: { id: 'asc' } })
    return rows.map(({ action, tokenId, requestId, before, after }) => {
      const [was, is] = [before, after] as [Record<string, unknown> | null, Record<string, unknown>]
      const ended = [was?.['revoked_at'] ?? null, is['revoked_at']].map((at) => at !== null)
      return { action, by: tokenId === id ? 'itself' : tokenId, requestId, ended }
    })
  }
  const [one, two] = [newSecret('operator'), newSecret('operator')]
  await setConfigured(plane.operatorToken)
  await setConfigured(one)
  await setConfigured(one)
  expect((await call('GET', '/hosts', undefined, plane.operatorToken)).status).toBe(401)
  expect((await call('GET', '/hosts', undefined, one)).status).toBe(200)
  await setConfigured(two)
  expect((await call('GET', '/hosts', undefined, one)).status).toBe(401)
  expect((await call('GET', '/hosts', undefined, one)).body.error?.details).toEqual({ reason: 'revoked' })
  const idOfTwo = (await core.db.operatorToken.findUniqueOrThrow({ where: { secretHash: hashSecret(two) } }))
    .id
  const start = { requestId: 'start of replica-x' }
  expect(await entries(one)).toEqual([
    { ...start, action: 'operator_token.configure', by: 'itself', ended: [false, false] },
    { ...start, action: 'operator_token.revoke', by: idOfTwo, ended: [false, true] },
  ])
  const { body } = await call('GET', '/operator-tokens', undefined, two)
  expect(
    (body['data'] as { id: string; revoked_by: unknown }[]).find(({ id }) => id === idOfTwo),
  ).toMatchObject({ revoked_by: null })
  await call('DELETE', `/operator-tokens/${idOfTwo}`, undefined, two)
  await setConfigured(two)
  expect((await call('GET', '/hosts', undefined, two)).status).toBe(401)
  await setConfigured(plane.operatorToken)
})

it('restores a configured token when the configuration names it again, unless an operator revoked it', async () => {
  const { core } = plane.app
  const setConfigured = (token: string) => setConfiguredOperator(core, hashSecret(token), 'replica-x')
  const status = async (token: string) => (await call('GET', '/hosts', undefined, token)).status
  const [one, two] = [newSecret('operator'), newSecret('operator')]
  await setConfigured(one)
  await setConfigured(two)
  expect(await status(one)).toBe(401)
  await setConfigured(one)
  expect([await status(one), await status(two)]).toEqual([200, 401])
  const { id } = await core.db.operatorToken.findUniqueOrThrow({ where: { secretHash: hashSecret(two) } })
  expect((await call('DELETE', `/operator-tokens/${id}`, undefined, one)).status).toBe(200)
  await setConfigured(two)
  expect(await status(two)).toBe(401)
  await setConfigured(plane.operatorToken)
  expect(await status(plane.operatorToken)).toBe(200)
})

it('sets the configured token once when replicas start at the same moment', async () => {
  const { core } = plane.app
  const token = newSecret('operator')
  const secretHash = hashSecret(token)
  await Promise.all(
    [plane, beside, plane, beside].map((each) =>
      setConfiguredOperator(each.app.core, secretHash, 'replica-x'),
    ),
  )
  const { id } = await core.db.operatorToken.findUniqueOrThrow({ where: { secretHash } })
  expect(await core.db.auditEntry.count({ where: { target: id } })).toBe(1)
  const valid = { isConfigured: true, revokedAt: null }
  expect(await core.db.operatorToken.count({ where: valid })).toBe(1)
  await setConfiguredOperator(core, hashSecret(plane.operatorToken), 'replica-x')
})

it('limits wrong tokens by address, and still accepts a valid one from that address', async () => {
  const from = async (token: string, remoteAddress: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await plane.operator.inject({ url: '/operator/v1/hosts', headers, remoteAddress })
    return answer.statusCode
  }
  const mine = '198.51.100.7'
  for (let each = 0; each < 60; each++)
    expect(await from(each % 2 ? newSecret('operator') : 'pro_wrong', mine)).toBe(401)
  expect(await from(newSecret('operator'), mine)).toBe(429)
  expect(await from('', mine)).toBe(429)
  expect(await from(plane.operatorToken, mine)).toBe(200)
  expect(await from(newSecret('operator'), '198.51.100.8')).toBe(401)
})

it('limits the address of a token that was revoked or has expired, like that of a wrong one', async () => {
  const revoked = await make()
  await call('DELETE', `/operator-tokens/${revoked.id}`)
  const expired = await make()
  await plane.app.core.db.operatorToken.update({
    where: { id: expired.id },
    data: { expiresAt: new Date(clock.now().getTime() - 1) },
  })
  // A token is valid while its address is limited, and is then revoked.
  const later = await make()
  const from = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const remoteAddress = '198.51.100.9'
    return (await plane.operator.inject({ url: '/operator/v1/hosts', headers, remoteAddress })).statusCode
  }
  for (let each = 0; each < 60; each++) expect(await from(revoked.token)).toBe(401)
  expect([await from(revoked.token), await from(expired.token)]).toEqual([429, 429])
  expect(await from(later.token)).toBe(200)
  await call('DELETE', `/operator-tokens/${later.id}`)
  expect(await from(later.token)).toBe(401)
  expect(await from(later.token)).toBe(429)
})

// Unused links and join tokens would let somebody who had the token return.
it.each([
  ['is revoked', (id: string) => call('DELETE', `/operator-tokens/${id}`)],
  [
    'has expired',
    (id: string) =>
      plane.app.core.db.operatorToken.update({ where: { id }, data: { expiresAt: clock.now() } }),
  ],
])('ends its unused links and join tokens when it %s', async (_how, end) => {
  const { id, token } = await make()
  const { userId } = await consoleUser(plane, { role: 'operator' })
  const { email } = await plane.app.core.db.user.findUniqueOrThrow({ where: { id: userId } })
  const mine = async (path: string, body: object) => (await call('POST', path, body, token)).body
  const links = [await mine('/invitations', {}), await mine('/resets', { email })]
  const { token: join } = await mine('/hosts/join-tokens', {})
  const [secret] = String(join).split('.')
  const looks = () =>
    Promise.all(
      links.map(async ({ url }) => {
        const body = { token: new URL(String(url)).hash.slice(1) }
        return (await consoleClient(plane).ask('POST', '/invitations/look', { body })).status
      }),
    )
  const listed = async () =>
    ((await call('GET', '/invitations')).body['data'] as { id: string }[]).map((each) => each.id)
  const isJoinValid = async () => (await refusalOf(checkJoinToken(plane.app.core, String(secret)))) === null
  expect([await looks(), await isJoinValid()]).toEqual([[200, 200], true])
  expect(await listed()).toEqual(expect.arrayContaining(links.map((link) => link['id'])))
  await end(id)
  expect([await looks(), await isJoinValid()]).toEqual([[404, 404], false])
  expect(await listed()).not.toEqual(expect.arrayContaining([links[0]?.['id']]))
})

it('names the valid tokens that a revoked token created', async () => {
  const { id, token } = await make()
  const { body: second } = await call('POST', '/operator-tokens', { name: 'another' }, token)
  const { body } = await call('DELETE', `/operator-tokens/${id}`)
  expect(body['created_tokens']).toEqual([{ id: second['id'], name: 'another' }])
})

it('lists and withdraws invitations at the console of operators, in the name of the user', async () => {
  const { body } = await call('POST', '/invitations', {})
  const id = String(body['id'])
  const { email } = await consoleUser(plane, { role: 'operator' })
  const desk = await operatorDesk(plane, email)
  const listed = async () =>
    ((await desk.ask('GET', '/operator/invitations')).body['data'] as { id: string }[]).find(
      (each) => each.id === id,
    )
  expect(await listed()).toMatchObject({
    role: 'operator',
    email: null,
    created_by: expect.any(String) as string,
  })
  const path = `/operator/invitations/${id}`
  expect((await desk.ask('DELETE', path)).body).toEqual({ id })
  expect(await listed()).toBeUndefined()
  expect((await desk.ask('DELETE', path)).status).toBe(404)
  const audit = { target: id, action: 'invitation.withdraw' }
  expect(await plane.app.core.db.auditEntry.findFirst({ where: audit })).toMatchObject({ tokenName: email })
})

it('withdraws an invitation, once', async () => {
  const { body } = await call('POST', '/invitations', {})
  expect((await call('DELETE', `/invitations/${String(body['id'])}`)).body).toEqual({ id: body['id'] })
  expect((await call('DELETE', `/invitations/${String(body['id'])}`)).status).toBe(404)
})
