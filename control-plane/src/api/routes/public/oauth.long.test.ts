// The authorization server for clients of /mcp: the way of a client from its registration to its end, and attacks on it.
import { hashSecret, limits } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { forgetConnectors } from '../../../people/connectors/expiry.js'
import { consoleUser, type ConsoleClient } from '../../../testing/console-client.js'
import {
  callback,
  consent,
  newRequest,
  oauthClient,
  sentTo,
  type OAuthClient,
} from '../../../testing/oauth.js'
import { watchQueries } from '../../../testing/query-log.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let ahead = 0
let plane: Plane
let tenant: Tenant
let member: ConsoleClient
let oauth: OAuthClient
let clientId: string

beforeAll(async () => {
  plane = await world.start({
    clock: { now: () => new Date(Date.now() + ahead) },
    env: { PHONERACK_OAUTH_REGISTRATION: 'on', PHONERACK_FAILURES_PER_MINUTE: '1000' },
  })
  tenant = await plane.tenant()
  member = (await consoleUser(plane, { role: 'member', projectId: tenant.projectId })).client
  oauth = oauthClient(plane)
  const name = 'Helper\u202e <b>'
  clientId = String(
    (await oauth.register({ client_name: name, redirect_uris: [callback] })).body['client_id'],
  )
})

// Each test begins without attempts, since the requests of people and addresses are limited.
beforeEach(async () => {
  ahead = 0
  await plane.app.core.db.attempt.deleteMany()
})

/** Consents, and returns what the client needs to exchange the code. */
async function granted(rights: object = {}) {
  const { query, verifier } = newRequest(clientId)
  const code = sentTo(await consent(member, tenant.projectId, query, rights)).get('code') ?? ''
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: callback,
    code,
    code_verifier: verifier,
  }
}

async function connected(rights: object = {}) {
  const { status, body } = await oauth.token(await granted(rights))
  expect(status).toBe(200)
  return { access: String(body['access_token']), refresh: String(body['refresh_token']), body }
}

/** The replica hears of a revocation over NATS. */
const isRefused = (access: string) => eventually(async () => (await oauth.use(access)).status === 401)

const refreshed = (refresh: string) =>
  oauth.token({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refresh })

interface ListedKey {
  id: string
  name: string
  phones: string[]
  revoked_at: string | null
  connector: { client_id: string; client_name: string; host: string } | null
}

const listed = async (): Promise<ListedKey[]> =>
  (await member.ask('GET', `/projects/${tenant.projectId}/keys`)).body['data'] as ListedKey[]

describe('a client', () => {
  it('finds the server from a refusal of /mcp [40.4]', async () => {
    const refused = await oauth.use('prk_x')
    const [, address = ''] =
      /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate'])) ?? []
    const { issuer, resource } = {
      issuer: plane.config.http.baseUrl,
      resource: `${plane.config.http.baseUrl}/mcp`,
    }
    const found = await plane.server.inject({ url: new URL(address).pathname })
    expect(found.json()).toMatchObject({ resource, authorization_servers: [issuer] })
    expect(found.headers['access-control-allow-origin']).toBe('*')
    expect((await plane.server.inject({ url: '/.well-known/oauth-protected-resource' })).json()).toEqual(
      found.json(),
    )
    const server = await plane.server.inject({ url: '/.well-known/oauth-authorization-server' })
    expect(server.json()).toMatchObject({
      issuer,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      client_id_metadata_document_supported: true,
      registration_endpoint: `${issuer}/oauth/register`,
    })
    const preflight = await plane.server.inject({ method: 'OPTIONS', url: '/oauth/token' })
    expect(preflight.statusCode).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe('*')
  })

  // Seen in the registration of Cursor: https://github.com/erp-mafia/accounted/pull/2225
  it('is registered with the usable ones of its redirect addresses', async () => {
    const own = 'cursor://anysphere.cursor-mcp/oauth/callback'
    const usable = ['https://www.cursor.com/agents/mcp/oauth/callback', 'http://localhost:8787/callback']
    const { status, body } = await oauth.register({ client_name: 'Cursor', redirect_uris: [own, ...usable] })
    expect([status, body['redirect_uris']]).toEqual([201, usable])
    const look = async (redirect_uri: string) => {
      const { query } = newRequest(String(body['client_id']), { redirect_uri })
      return (await member.ask('POST', '/connectors/look', { body: { query } })).status
    }
    expect(await Promise.all([...usable, own].map(look))).toEqual([200, 200, 400])
  })

  it('is led to the console with its request unchanged', async () => {
    const { query } = newRequest(clientId)
    const answer = await plane.server.inject({ url: `/oauth/authorize?${query}` })
    expect(answer.statusCode).toBe(303)
    const page = new URL(String(answer.headers.location))
    expect(page.origin + page.pathname).toBe(`${plane.config.console.origin}/console/authorize`)
    const packed = page.searchParams.get('request') ?? ''
    expect(Buffer.from(packed.slice(2), 'base64url').toString()).toBe(query)
  })

  it('is shown by its hosts, and by a name without signs that reorder text', async () => {
    const { query } = newRequest(clientId, { scope: 'phones:read unknown' })
    expect((await member.ask('POST', '/connectors/look', { body: { query } })).body).toEqual({
      client: { id: clientId, name: 'Helper <b>', host: null },
      redirect: { host: 'agents.example.com', is_this_machine: false },
      preset: 'read-only',
      scopes: ['phones:read'],
    })
  })

  it('gets only what it asked for, with any choice of the member', async () => {
    const { query, verifier } = newRequest(clientId, { scope: 'phones:control phones:read' })
    const code = sentTo(await consent(member, tenant.projectId, query, { preset: 'admin' })).get('code') ?? ''
    const exchange = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
    const { body } = await oauth.token({ ...exchange, redirect_uri: callback })
    expect(body['scope']).toBe('phones:read phones:control')
    const key = await plane.app.services.keys.authenticate(String(body['access_token']))
    expect(key.scopes).toEqual(['phones:read', 'phones:control'])
    const { query: deleting } = newRequest(clientId, { scope: 'phones:delete' })
    const refused = await consent(member, tenant.projectId, deleting, { preset: 'agent' })
    expect([refused.status, refused.body['error']]).toMatchObject([400, { code: 'invalid_request' }])
  })

  it('gets tokens for the chosen rights, uses tools, refreshes, and is listed and revoked as a key [40.5]', async () => {
    const { query, verifier } = newRequest(clientId)
    const answer = sentTo(await consent(member, tenant.projectId, query, { preset: 'read-only' }))
    expect(answer.get('state')).toBe('12345678901234567890123')
    expect(answer.get('iss')).toBe(plane.config.http.baseUrl)
    const first = await oauth.token({
      grant_type: 'authorization_code',
      client_id: clientId,
      code_verifier: verifier,
      code: answer.get('code') ?? '',
      resource: `${plane.config.http.baseUrl}/mcp`,
    })
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'phones:read' })
    expect(first.headers['cache-control']).toBe('no-store')
    expect((await oauth.use(String(first.body['access_token']))).status).toBe(200)
    const second = await refreshed(String(first.body['refresh_token']))
    const access = String(second.body['access_token'])
    expect(JSON.stringify((await oauth.use(access)).body)).toContain('balance_usd')

    const [key] = await listed()
    expect(key).toMatchObject({
      name: 'Helper <b>',
      connector: { client_id: clientId, host: 'agents.example.com' },
    })
    await member.ask('DELETE', `/projects/${tenant.projectId}/keys/${key?.id}`)
    await isRefused(access)
    const refused = await oauth.use(access)
    expect(refused.body).toMatchObject({ error: { code: 'key_revoked' } })
    expect(refused.headers['www-authenticate']).toContain('error="invalid_token"')
    expect((await refreshed(String(second.body['refresh_token']))).body['error']).toBe('invalid_grant')
  })

  it('has its secrets in the database as hashes only', async () => {
    const { access, refresh } = await connected()
    const { db } = plane.app.core
    const rows = JSON.stringify([
      await db.connector.findMany(),
      await db.connectorToken.findMany(),
      await db.apiKey.findMany(),
      await db.auditEntry.findMany({ select: { action: true, before: true, after: true } }),
    ])
    for (const secret of [access, refresh]) expect(rows).not.toContain(secret)
    expect(rows).not.toMatch(/pr[afg]_[\w-]{43}/)
    expect(rows).toContain('connector.create')
  })

  it('signs out', async () => {
    const { access } = await connected()
    const other = await oauth.post('/revoke', { client_id: 'occ_aaaaaaaaaaaa', token: access })
    expect(other.status).toBe(200)
    expect((await oauth.use(access)).status).toBe(200)
    expect((await oauth.post('/revoke', { client_id: clientId, token: access })).status).toBe(200)
    await isRefused(access)
  })
})

describe('a token', () => {
  it('is refused by /v1 and /operator/v1 [40.6]', async () => {
    const { access, refresh } = await connected()
    const headers = { authorization: `Bearer ${access}` }
    const answer = await plane.server.inject({ url: '/v1/account', headers })
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toMatchObject({
      error: { code: 'invalid_api_key', message: expect.stringContaining('`/mcp` only') as string },
    })
    expect((await plane.operator.inject({ url: '/operator/v1/hosts', headers })).statusCode).toBe(401)
    expect((await oauth.use(refresh)).status).toBe(401)
    expect((await oauth.use(access)).status).toBe(200)
  })

  it('ends after an hour, and a connector that is not used after 90 days', async () => {
    const { access, refresh } = await connected()
    try {
      ahead += 3601_000
      expect((await oauth.use(access)).body).toMatchObject({ error: { code: 'key_expired' } })
      const next = await refreshed(refresh)
      expect(next.status).toBe(200)
      ahead += 91 * 86_400_000
      expect((await refreshed(String(next.body['refresh_token']))).body['error']).toBe('invalid_grant')
    } finally {
      ahead = 0
    }
  })

  it('ends the connector when it is refreshed twice [40.7]', async () => {
    const { refresh } = await connected()
    const next = await refreshed(refresh)
    const access = String(next.body['access_token'])
    expect((await oauth.use(access)).status).toBe(200)
    ahead += limits.connectors.refreshAgain * 1000
    expect((await refreshed(refresh)).body['error']).toBe('invalid_grant')
    await isRefused(access)
    expect((await refreshed(String(next.body['refresh_token']))).body['error']).toBe('invalid_grant')
  })

  it('is refreshed by several processes of its client at the same moment', async () => {
    const { refresh } = await connected()
    const answers = await Promise.all(Array.from({ length: 5 }, () => refreshed(refresh)))
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect((await oauth.use(String(body['access_token']))).status).toBe(200)
      expect((await refreshed(String(body['refresh_token']))).status).toBe(200)
    }
    const { db } = plane.app.core
    expect(
      await db.connectorToken.count({ where: { hash: hashSecret(refresh), usedAt: { not: null } } }),
    ).toBe(1)
  })

  it('is served again for 30 seconds from its first use, and not after a revocation [40.8]', async () => {
    const { refresh } = await connected()
    const first = await refreshed(refresh)
    ahead += 29_000
    expect((await refreshed(refresh)).status).toBe(200)
    ahead += 1000
    expect((await refreshed(refresh)).body['error']).toBe('invalid_grant')
    await isRefused(String(first.body['access_token']))
    const revoked = await connected()
    await refreshed(revoked.refresh)
    await oauth.post('/revoke', { client_id: clientId, token: revoked.access })
    expect((await refreshed(revoked.refresh)).body['error']).toBe('invalid_grant')
  })

  it('is refreshed at most 120 times an hour, and is revoked with all its tokens', async () => {
    const { refresh: first } = await connected()
    const { body } = await refreshed(first)
    const [refresh, access] = [String(body['refresh_token']), String(body['access_token'])]
    const { db } = plane.app.core
    const { keyId } = await db.connectorToken.findUniqueOrThrow({ where: { hash: hashSecret(refresh) } })
    // The state after 119 more refreshes.
    const subject = hashSecret(`refresh ${keyId}`)
    await db.attempt.update({ where: { subject }, data: { count: 120 } })
    const refused = await refreshed(refresh)
    expect([refused.status, refused.body['error']]).toEqual([429, 'temporarily_unavailable'])
    expect((await oauth.use(access)).status).toBe(200)
    await oauth.post('/revoke', { client_id: clientId, token: access })
    await isRefused(access)
  })

  it('is not refreshed for another client', async () => {
    const { refresh } = await connected()
    const fields = { grant_type: 'refresh_token', client_id: 'occ_aaaaaaaaaaaa', refresh_token: refresh }
    expect((await oauth.token(fields)).body['error']).toBe('invalid_grant')
    expect((await refreshed(refresh)).status).toBe(200)
  })
})

describe('a code', () => {
  it('ends the connector when it is used twice [40.9]', async () => {
    const fields = await granted()
    const { body } = await oauth.token(fields)
    expect((await oauth.use(String(body['access_token']))).status).toBe(200)
    const again = await oauth.token(fields)
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    await isRefused(String(body['access_token']))
  })

  it.each([
    ['another verifier', { code_verifier: 'a'.repeat(43) }],
    ['a short verifier', { code_verifier: 'a' }],
    ['another redirect', { redirect_uri: 'https://agents.example.com/other' }],
    ['another client', { client_id: 'occ_aaaaaaaaaaaa' }],
  ])('with %s is refused, and ends', async (_what, change) => {
    const fields = await granted()
    expect((await oauth.token({ ...fields, ...change })).body['error']).toBe('invalid_grant')
    expect((await oauth.token(fields)).body['error']).toBe('invalid_grant')
  })

  it('for another resource is refused, and stays valid', async () => {
    const fields = await granted()
    const other = { resource: 'https://other.example/mcp' }
    expect((await oauth.token({ ...fields, ...other })).body['error']).toBe('invalid_target')
    expect((await oauth.token(fields)).status).toBe(200)
  })

  it('ends after a minute, and its connector is neither listed nor kept', async () => {
    const fields = await granted()
    const before = (await listed()).length
    try {
      ahead = 61_000
      expect((await oauth.token(fields)).body['error']).toBe('invalid_grant')
      expect((await listed()).length).toBe(before - 1)
      ahead += 2 * 86_400_000
      const keys = await plane.app.core.db.apiKey.count()
      await forgetConnectors(plane.app.core)
      expect(await plane.app.core.db.apiKey.count()).toBe(keys - 1)
    } finally {
      ahead = 0
    }
  })
})

describe('a request', () => {
  const look = async (change: Record<string, string>) =>
    (await member.ask('POST', '/connectors/look', { body: { query: newRequest(clientId, change).query } }))
      .body['error'] as { code: string; message: string; details: { redirect_to?: string } }

  it.each([
    'https://evil.example/callback',
    'https://agents.example.com/callback/../other',
    'https://agents.example.com/callback?x=1',
    'https://agents.example.com@evil.example/callback',
    'http://agents.example.com/callback',
    'https://agents.example.com:8443/callback',
    'javascript:alert(1)',
    '//agents.example.com/callback',
  ])('with the redirect %s leads nowhere [40.10]', async (redirectUri) => {
    const error = await look({ redirect_uri: redirectUri })
    expect(error).toMatchObject({ code: 'invalid_request' })
    expect(error.details.redirect_to).toBeUndefined()
    const query = newRequest(clientId, { redirect_uri: redirectUri }).query
    for (const path of ['/connectors/deny', `/projects/${tenant.projectId}/connectors`])
      expect((await member.ask('POST', path, { body: { query } })).status).toBe(400)
  })

  it.each([
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for an implicit token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for /v1', { resource: 'http://127.0.0.1/v1' }, 'invalid_target'],
  ])('%s is refused in the form of OAuth', async (_what, change: Record<string, string>, code) => {
    const { details } = await look(change)
    const back = new URL(details.redirect_to ?? '')
    expect(back.origin + back.pathname).toBe(callback)
    expect(back.searchParams.get('error')).toBe(code)
  })

  it('leads back without a code when it is denied', async () => {
    const { query } = newRequest(clientId)
    const back = sentTo(await member.ask('POST', '/connectors/deny', { body: { query } }))
    expect(back.get('error')).toBe('access_denied')
    expect(back.get('code')).toBeNull()
  })

  it('with a parameter twice is refused', async () => {
    const query = `${newRequest(clientId).query}&redirect_uri=https%3A%2F%2Fevil.example`
    expect((await member.ask('POST', '/connectors/look', { body: { query } })).status).toBe(400)
  })
})

describe('the consent', () => {
  it('is not given by a viewer, for another project, from another origin, or without the token', async () => {
    const { query } = newRequest(clientId)
    const viewer = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    expect((await consent(viewer.client, tenant.projectId, query)).status).toBe(403)
    const other = await plane.tenant()
    expect((await consent(member, other.projectId, query)).status).toBe(404)
    const path = `/projects/${tenant.projectId}/connectors`
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: undefined },
      { 'x-csrf-token': 'x' },
    ]) {
      const { status, body } = await member.ask('POST', path, { body: { query }, headers })
      expect(status).toBe(403)
      expect(body).toMatchObject({ error: { code: 'browser_requests_not_allowed' } })
    }
  })

  it('limits the connector to phones of the project', async () => {
    const { query } = newRequest(clientId)
    const refused = await consent(member, tenant.projectId, query, { phones: ['ph_aaaaaaaaaaaa'] })
    expect(refused.body).toMatchObject({ error: { code: 'validation_failed' } })
  })
})

it('a person may ask 30 times a minute, since each time may fetch a document', async () => {
  const { query } = newRequest(clientId)
  const statuses: number[] = []
  for (let each = 0; each < 31; each += 1)
    statuses.push((await member.ask('POST', '/connectors/look', { body: { query } })).status)
  expect(statuses.slice(29)).toEqual([200, 429])
})

describe('the token endpoint', () => {
  it('answers in the form of OAuth', async () => {
    expect(await oauth.token({ grant_type: 'password', client_id: clientId })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    })
    expect((await oauth.token({ grant_type: 'refresh_token' })).body['error']).toBe('invalid_request')
    const json = await plane.server.inject({ method: 'POST', url: '/oauth/token', payload: { a: 1 } })
    expect(json.json()).toMatchObject({ error: 'invalid_request' })
    const large = await oauth.token({ grant_type: 'x'.repeat(20_000) })
    expect(large).toMatchObject({ status: 413, body: { error: 'invalid_request' } })
  })

  it('limits addresses that guess, and still accepts what is valid', async () => {
    const limited = await world.start({ beside: plane, env: { PHONERACK_FAILURES_PER_MINUTE: '3' } })
    const from = oauthClient(limited)
    const { refresh } = await connected()
    const guess = { grant_type: 'refresh_token', client_id: clientId, refresh_token: `prf_${'a'.repeat(43)}` }
    const statuses: number[] = []
    for (let each = 0; each < 5; each += 1) statuses.push((await from.token(guess)).status)
    expect(statuses).toEqual([400, 400, 400, 429, 429])
    expect((await from.token({ ...guess, refresh_token: refresh })).status).toBe(200)
    const other = oauthClient(
      await world.start({ beside: plane, env: { PHONERACK_FAILURES_PER_MINUTE: '3' } }),
    )
    const revoked: number[] = []
    for (let each = 0; each < 5; each += 1)
      revoked.push(
        (await other.post('/revoke', { client_id: clientId, token: each === 0 ? 'x' : guess.refresh_token }))
          .status,
      )
    expect(revoked).toEqual([200, 200, 200, 429, 429])
  })
})

describe('registration', () => {
  it('takes only redirects that are https or on the client’s machine', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'http://agents.example.com/',
      'https://a.example/#x',
      'cursor://x',
      7,
    ])
      expect((await oauth.register({ redirect_uris: [uri] })).body['error']).toBe('invalid_redirect_uri')
    expect((await oauth.register({ redirect_uris: callback })).body['error']).toBe('invalid_redirect_uri')
    expect((await oauth.register({ redirect_uris: [] })).body['error']).toBe('invalid_redirect_uri')
    const made = await oauth.register({ redirect_uris: ['http://127.0.0.1/cb'], client_secret: 'x' })
    expect(made).toMatchObject({ status: 201, body: { token_endpoint_auth_method: 'none' } })
    expect(made.body['client_secret']).toBeUndefined()
    const request = { client_id: String(made.body['client_id']), redirect_uri: 'http://127.0.0.1:49152/cb' }
    const { query } = newRequest(clientId, request)
    expect((await member.ask('POST', '/connectors/look', { body: { query } })).body).toMatchObject({
      redirect: { host: '127.0.0.1:49152', is_this_machine: true },
    })
  })

  it('is off by default, and its clients are then refused', async () => {
    const off = await world.start({ beside: plane })
    const answer = await oauthClient(off).register({ redirect_uris: [callback] })
    expect(answer.status).toBe(404)
    const { body } = await oauthClient(off).token(await granted())
    // Grants from before remain valid.
    expect(body['access_token']).toBeDefined()
  })
})

it('refuses texts without the form of a code or token before it asks Postgres', async () => {
  const queries = watchQueries()
  const common = { client_id: clientId, redirect_uri: callback, code_verifier: 'v'.repeat(43) }
  const refused = [
    await oauth.token({ ...common, grant_type: 'authorization_code', code: 'prk_x' }),
    await oauth.token({ ...common, grant_type: 'refresh_token', refresh_token: '\0' }),
  ]
  const revoked = await oauth.post('/revoke', { client_id: clientId, token: 'x'.repeat(43) })
  queries.stop()
  expect(refused.map(({ status, body }) => [status, body['error']])).toEqual([
    [400, 'invalid_grant'],
    [400, 'invalid_grant'],
  ])
  expect(revoked.status).toBe(200)
  expect(queries.texts.filter((text) => text.includes('connector'))).toEqual([])
})
