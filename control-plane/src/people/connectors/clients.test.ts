// Metadata documents of clients, from real HTTPS servers.
import { once } from 'node:events'
import { type RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { type AddressInfo } from 'node:net'
import { hashSecret, limits } from '@phonerack/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseNetwork } from '../../base/config/webhooks.js'
import { Authority, newAuthority } from '../../base/pki/authority.js'
import { useWorld, type Plane } from '../../testing/world.js'
import { createClients, type Clients } from './clients.js'
import { forgetUnusedClients } from './expiry.js'
import { cleanName, readDocument } from './metadata.js'

const world = useWorld()
let plane: Plane
let server: Server
let port: number
let ca: string
let answer: RequestListener
const asked: string[] = []

beforeAll(async () => {
  plane = await world.start()
  const authority = await newAuthority()
  ca = authority.certificatePem
  const own = await (await Authority.of(authority)).issueBroker(['clients.example', '127.0.0.1'])
  server = createServer({ cert: own.certificatePem, key: own.privateKeyPem }, (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ;({ port } = server.address() as AddressInfo)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const urlOf = (path = '/client.json', host = 'clients.example'): string => `https://${host}:${port}${path}`

const documentOf = (change: object = {}) => ({
  client_id: urlOf(),
  client_name: 'Agent',
  redirect_uris: ['https://agents.example/cb', 'cursor://x/cb'],
  ...change,
})

const answerWith = (body: string, status = 200, headers: Record<string, string> = {}): void => {
  answer = (_request, response) => void response.writeHead(status, headers).end(body)
}

const clientsWith = (allowed: readonly string[] = ['127.0.0.0/8'], addresses = ['127.0.0.1']): Clients =>
  createClients({
    core: plane.app.core,
    allowed: allowed.map(parseNetwork),
    allowsRegistration: false,
    ca,
    resolve: () => Promise.resolve(addresses),
  })

beforeEach(() => {
  asked.length = 0
  answerWith(JSON.stringify(documentOf()))
})

describe('a document', () => {
  it('is fetched once, and gives the usable redirects', async () => {
    const clients = clientsWith()
    const expected = { id: urlOf(), name: 'Agent', redirectUris: ['https://agents.example/cb'] }
    expect(await clients.find(urlOf(), 'usr_a')).toMatchObject(expected)
    expect(await clients.find(urlOf(), 'usr_b')).toMatchObject(expected)
    expect(asked).toEqual(['GET /client.json'])
  })

  it.each([
    ['names another client', { client_id: 'https://clients.example/' }, 'another `client_id`'],
    ['contains a secret', { client_secret: 'x' }, 'contains a secret'],
    ['needs a key', { token_endpoint_auth_method: 'private_key_jwt' }, 'other than `none`'],
    ['has no usable redirect', { redirect_uris: ['javascript:alert(1)'] }, 'has no `redirect_uris`'],
    ['is too large', { x: 'x'.repeat(6000) }, 'larger than 5120 bytes'],
    ['is huge', { x: 'x'.repeat(60_000) }, 'larger than 5120 bytes'],
  ])('that %s is refused', async (_what, change: object, text) => {
    answerWith(JSON.stringify(documentOf(change)))
    await expect(clientsWith().find(urlOf(), 'usr_a')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(text) as string,
    })
  })

  it('is not read from a redirect, a failure, or a page', async () => {
    answerWith('', 302, { location: 'https://127.0.0.1/' })
    await expect(clientsWith().find(urlOf(), 'usr_a')).rejects.toThrow('302')
    expect(asked).toEqual(['GET /client.json'])
    answerWith('{}', 500)
    await expect(clientsWith().find(urlOf(), 'usr_a')).rejects.toThrow('500')
    answerWith('<html>')
    await expect(clientsWith().find(urlOf(), 'usr_a')).rejects.toThrow('is not JSON')
    answerWith('[]')
    await expect(clientsWith().find(urlOf(), 'usr_a')).rejects.toThrow('is not a JSON object')
  })
})

describe('an address', () => {
  it.each([
    'http://clients.example/client.json',
    'https://clients.example/',
    'https://clients.example/a/../client.json',
    'https://name:secret@clients.example/client.json',
    'https://clients.example/client.json#x',
    'https://127.0.0.1/client.json',
    'https://[::ffff:127.0.0.1]/client.json',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/client.json',
    'not a url',
    'occ_short',
  ])('%s is not fetched', async (clientId) => {
    await expect(clientsWith([]).find(clientId, 'usr_a')).rejects.toMatchObject({ code: 'invalid_request' })
    expect(asked).toEqual([])
  })

  it('with a name that leads to a private address, also among others, is not fetched [40.11]', async () => {
    for (const addresses of [['127.0.0.1'], ['1.1.1.1', '10.0.0.1'], ['::1'], ['169.254.169.254']])
      await expect(clientsWith([], addresses).find(urlOf(), 'usr_a')).rejects.toThrow('address_not_allowed')
    expect(asked).toEqual([])
  })
})

it('a name has no signs that hide or reorder text, and a length', () => {
  expect(cleanName('a\u202eb\0\u200bc\n')).toBe('abc')
  expect(cleanName('x'.repeat(100))).toHaveLength(60)
  expect(cleanName(7)).toBe('')
  const document = {
    client_id: 'https://a.example/c',
    client_name: '\u200b',
    redirect_uris: ['https://b.example/'],
  }
  expect(readDocument('https://a.example/c', JSON.stringify(document))).toMatchObject({ name: 'a.example' })
})

describe('registered clients', () => {
  const ids = async () =>
    (await plane.app.core.db.connectorClient.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)

  it('without a connector give way to newer ones from the same site, and to others only when that site has the most', async () => {
    const { db } = plane.app.core
    const { projectId } = await plane.tenant()
    const { id: keyId } = await db.apiKey.findFirstOrThrow({ where: { projectId } })
    const row = (id: string, siteHash: string | null, minutes: number) => ({
      id,
      siteHash,
      name: id,
      redirectUris: [],
      createdAt: ago(minutes),
    })
    await db.connectorClient.createMany({
      data: [
        ...[1, 2, 3, 4, 5].map((minutes) => row(`many_${minutes}`, 'many', minutes)),
        ...[
          row('one_9', 'one', 9),
          row('two_7', 'two', 7),
          row('two_8', 'two', 8),
          row('used_10', 'many', 10),
        ],
      ],
    })
    await db.connector.create({
      data: {
        keyId,
        clientId: 'used_10',
        clientName: 'x',
        redirectUri: 'x',
        grantedBy: 'x',
        codeHash: 'x',
        codeChallenge: 'x',
        codeExpiresAt: ago(0),
      },
    })
    await forgetUnusedClients(db, { registered: 6, registeredPerSite: 4 })
    expect(await ids()).toEqual(['many_1', 'many_2', 'many_3', 'one_9', 'two_7', 'two_8', 'used_10'])
    await forgetUnusedClients(db, { registered: 3, registeredPerSite: 4 })
    expect(await ids()).toEqual(['many_1', 'one_9', 'two_7', 'used_10'])
  })

  it('are counted by address and by the /48 of an address', async () => {
    const open = await world.start({ beside: plane, env: { PHONERACK_OAUTH_REGISTRATION: 'on' } })
    const { db } = plane.app.core
    const { registeredPerHourOfSite: count } = limits.connectors
    const subject = hashSecret('registration 2001:db8:1::/48')
    await db.attempt.create({ data: { subject, count, endsAt: new Date(Date.now() + 3_600_000) } })
    const register = (remoteAddress: string) =>
      open.server.inject({
        method: 'POST',
        url: '/oauth/register',
        remoteAddress,
        payload: { redirect_uris: ['https://agents.example/cb'] },
      })
    const refused = await register('2001:db8:1:77::1')
    expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([
      ...[429, 'temporarily_unavailable'],
    ])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000)
    const made = await register('2001:db8:2:77::1')
    expect(made.statusCode).toBe(201)
    const { client_id: id } = made.json<{ client_id: string }>()
    const { siteHash } = await db.connectorClient.findUniqueOrThrow({ where: { id } })
    expect(siteHash).toBe(hashSecret('2001:db8:2::/48'))
  })
})
