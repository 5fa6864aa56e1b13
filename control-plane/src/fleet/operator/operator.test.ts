// The operator's requests over HTTP, and the effects of freezing, pausing and revoking on tenants.
import { generateKeyPairSync } from 'node:crypto'
import { createUser } from '@nats-io/jwt'
import { X509Certificate } from 'node:crypto'
import { ApiError, authorityFingerprint, hashSecret } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, refusalOf, useWorld, type Plane } from '../../testing/world.js'
import { type AgentDouble } from '../../testing/agent-double.js'

const world = useWorld()
let plane: Plane
let second: Plane
let agent: AgentDouble
const signal = new AbortController().signal

beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(3)
  second = await world.start({ beside: plane })
})

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
async function call(method: Method, path: string, payload?: object, token = plane.operatorToken) {
  const answer = await plane.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload ? { payload } : {}),
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}
const until = (id: string, status: string) =>
  plane.app.services.phones.wait(id, (phone) => phone.status === status, 10_000, signal)

it('needs a known operator token [23.6]', async () => {
  for (const token of ['', 'nonsense', `pro_${'a'.repeat(43)}`]) {
    expect(await call('GET', '/hosts', undefined, token)).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorized' } },
    })
  }
})

it('creates a project, adds credit and limits, and accepts strict bodies only', async () => {
  const made = await call('POST', '/projects', { name: 'Shop', owner: 'Ann' })
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'Shop', balance_usd: '0.000000', frozen_at: null },
  })
  const path = `/projects/${String(made.body['id'])}`
  const change = { credit_usd: '12.5', spend_limit_usd: '7', max_phones: 3, max_running: 2 }
  expect((await call('PATCH', path, change)).body).toMatchObject({
    balance_usd: '12.500000',
    spend_limit_usd: '7.000000',
    max_phones: 3,
    max_running: 2,
  })
  expect((await call('PATCH', path, { credit_usd: 'much' })).status).toBe(400)
  expect((await call('PATCH', path, { colour: 'red' })).status).toBe(400)
  expect((await call('GET', '/projects/proj_aaaaaaaaaaaa')).status).toBe(404)
})

it('creates keys that work, limits them to phones, and revokes them on every replica immediately', async () => {
  const tenant = await plane.tenant()
  const made = await call('POST', '/keys', { project: tenant.projectId, preset: 'read-only', expires: '30d' })
  expect(made.status).toBe(201)
  const secret = String(made.body['key'])
  expect((await second.app.services.keys.authenticate(secret)).scopes).toEqual(['phones:read'])
  expect(
    (await call('POST', '/keys', { project: tenant.projectId, preset: 'agent', phones: ['ph_x'] })).status,
  ).toBe(400)
  expect((await call('DELETE', `/keys/${String(made.body['id'])}`)).status).toBe(200)
  await eventually(
    async () => (await refusalOf(second.app.services.keys.authenticate(secret))) === 'key_revoked',
  )
  expect(await refusalOf(plane.app.services.keys.authenticate(`prk_${'a'.repeat(43)}`))).toBe(
    'invalid_api_key',
  )
})

it('lets a phone-limited key use and see only its phones', async () => {
  const tenant = await plane.tenant()
  const { phones, keys } = plane.app.services
  const [one, two] = await Promise.all([0, 1].map(() => phones.create(tenant.caller, createBody(), null)))
  if (!one || !two) throw new Error('no phones')
  const made = await call('POST', '/keys', {
    project: tenant.projectId,
    preset: 'admin',
    phones: [one.phone.id],
  })
  const limited = await keys.authenticate(String(made.body['key']))
  expect((await phones.get(limited, one.phone.id)).id).toBe(one.phone.id)
  expect(await refusalOf(phones.get(limited, two.phone.id))).toBe('phone_not_allowed')
  const query = { limit: 1, cursor: null, status: null, metadata: null }
  expect((await phones.list(limited, query)).data.map((phone) => phone.id)).toEqual([one.phone.id])
  expect((await phones.account(limited)).phones).toBe(1)
  expect((await phones.account(tenant.caller)).phones).toBe(2)
  for (const { phone } of [one, two]) await phones.delete(tenant.caller, phone.id)
  await allFree()
})

it('parks the running phones of a frozen project, and of a paused service, with their reasons [3.28, 23.68]', async () => {
  const { phones } = plane.app.services
  const tenant = await plane.tenant()
  const { phone } = await phones.create(tenant.caller, createBody(), null)
  await until(phone.id, 'ready')
  await call('PATCH', `/projects/${tenant.projectId}`, { frozen: true })
  await until(phone.id, 'parked')
  const start = () => phones.start(tenant.caller, phone.id, { idleTimeout: null, maxDuration: null })
  expect(await refusalOf(start())).toBe('project_frozen')
  await call('PATCH', `/projects/${tenant.projectId}`, { frozen: false })
  await start()
  await until(phone.id, 'ready')
  expect((await call('POST', '/service/pause')).body['paused_at']).not.toBeNull()
  await until(phone.id, 'parked')
  expect(await refusalOf(start())).toBe('service_paused')
  expect((await call('POST', '/service/resume')).body['paused_at']).toBeNull()
  const sessions = await phones.sessions(tenant.caller, phone.id, { limit: 10, cursor: null })
  expect(sessions.data.map((session) => session.endReason)).toEqual(['service_paused', 'project_frozen'])
  await phones.delete(tenant.caller, phone.id)
  await allFree()
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

it('lists an unenrolled device, writes nothing to it, and wipes it before it is free', async () => {
  const device = agent.addDevice('new phone')
  const show = () => call('GET', `/devices/${encodeURIComponent('new phone')}`)
  await eventually(async () => (await show()).status === 200)
  expect((await show()).body).toMatchObject({ state: 'unenrolled', link: 'unenrolled', phone_id: null })
  expect((await call('POST', '/devices/new%20phone/enroll')).status).toBe(400)
  device.wipeChecks = [{ name: 'accounts', passed: false, evidence: 'one account' }]
  expect((await call('POST', '/devices/new%20phone/enroll', { erase: true })).status).toBe(202)
  await eventually(async () => (await show()).body['state'] === 'quarantined')
  expect((await show()).body).toMatchObject({ reason: 'accounts: one account' })
  delete device.wipeChecks
  expect((await call('POST', '/devices/new%20phone/release')).status).toBe(202)
  await eventually(async () => (await show()).body['state'] === 'free')
  expect((await show()).body).toMatchObject({
    capabilities: [{ name: 'input' }, { name: 'wipe' }],
    wipe_checks: [{ passed: true }],
  })
  expect((await call('POST', '/devices/new%20phone/enroll', { erase: true })).status).toBe(400)
})

it('shows why a wipe fails as soon as the agent refuses it', async () => {
  const device = agent.addDevice('stubborn phone')
  const show = async () => (await call('GET', '/devices/stubborn%20phone')).body
  await eventually(async () => (await show())['state'] === 'unenrolled')
  expect((await call('POST', '/devices/stubborn%20phone/enroll', { erase: true })).status).toBe(202)
  await eventually(async () => (await show())['state'] === 'free')
  const said = 'The phone refused to be wiped. `cmd testharness enable` ended with exit code 1: no.'
  device.onWipe = () => Promise.reject(new ApiError('provider_error', { message: said }))
  const { db } = plane.app.core
  const found = await db.device.findFirstOrThrow({ where: { serial: device.serial } })
  await db.device.update({ where: { id: found.id }, data: { state: 'quarantined' } })
  expect((await call('POST', '/devices/stubborn%20phone/release')).status).toBe(202)
  await eventually(async () =>
    String((await show())['reason']).includes(`(try 1 of 3), which is repeated: ${said}`),
  )
  expect((await show())['state']).toBe('wiping')
  await eventually(async () => (await show())['state'] === 'quarantined')
  expect((await show())['reason']).toBe(`agent: ${said}`)
  delete device.onWipe
  expect((await call('POST', '/devices/stubborn%20phone/release')).status).toBe(202)
  await eventually(async () => (await show())['state'] === 'free')
  expect((await show())['reason']).toBeNull()
})

it('lets a host join once per token, with a certificate for its own name only', async () => {
  const { publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const { body: made } = await call('POST', '/hosts/join-tokens')
  const input = {
    token: made['token'],
    name: 'rack 2',
    country: 'DE',
    public_key_pem: publicKey,
    nats_public_key: createUser().getPublicKey(),
  }
  const join = (change: object) =>
    plane.server.inject({ method: 'POST', url: '/host/v1/join', payload: { ...input, ...change } })
  const rsa = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  expect((await join({ public_key_pem: rsa.publicKey })).statusCode).toBe(400)
  expect((await join({ token: `prj_${'a'.repeat(43)}` })).statusCode).toBe(401)
  const joined = await join({})
  expect(joined.statusCode).toBe(201)
  const answer = joined.json<Record<string, string>>()
  const certificate = new X509Certificate(answer['certificate_pem'] ?? '')
  expect(certificate.subjectAltName).toBe(
    `DNS:${answer['host_id']}.host.phonerack.internal, URI:spiffe://phonerack/host/${answer['host_id']}`,
  )
  expect(certificate.verify(new X509Certificate(answer['ca_pem'] ?? '').publicKey)).toBe(true)
  const [secret, fingerprint] = String(made['token']).split('.')
  expect(fingerprint).toBe(authorityFingerprint(answer['ca_pem'] ?? ''))
  expect(await plane.app.core.db.joinToken.count({ where: { secretHash: hashSecret(secret ?? '') } })).toBe(1)
  expect(answer['nats_url']).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/)
  for (const token of [made['token'], secret]) expect((await join({ token })).statusCode).toBe(401)
  const { db } = plane.app.core
  const entries = await db.auditEntry.findMany({ where: { target: answer['host_id'] ?? '' } })
  const { id: tokenId } = await db.operatorToken.findFirstOrThrow({ where: { name: 'configured' } })
  expect(entries).toMatchObject([
    {
      action: 'host.join',
      tokenId,
      tokenName: 'configured',
      address: '127.0.0.1',
      before: null,
      requestId: joined.headers['x-request-id'],
      after: { name: 'rack 2', country: 'DE' },
    },
  ])
  const tenant = await plane.tenant()
  expect((await plane.app.services.phones.account(tenant.caller)).countries).toEqual([
    { code: 'DE', name: 'Germany' },
    { code: 'US', name: 'United States' },
  ])
})

const allFree = () =>
  eventually(async () => (await plane.app.core.db.device.count({ where: { state: { not: 'free' } } })) === 0)

it('assigns no device after a restore before its host has confirmed it', async () => {
  const agent = await plane.rack(1)
  const confirmed = async () =>
    (await plane.app.core.db.device.findFirstOrThrow({ where: { hostId: agent.hostId } })).confirmedEpoch
  const before = await call('GET', '/service')
  expect(await confirmed()).toBe(before.body['epoch'])
  agent.pause()
  const { status, body } = await call('POST', '/service/restored')
  expect(status).toBe(200)
  expect(body['epoch']).not.toBe(before.body['epoch'])
  expect((await call('GET', '/service')).body).toMatchObject({ epoch: body['epoch'] })
  await eventually(() => agent.epoch === body['epoch'])
  expect(await confirmed()).toBe(before.body['epoch'])
  expect(Number((await call('GET', '/service')).body['devices_to_confirm'])).toBeGreaterThan(0)
  agent.resume()
  await eventually(async () => (await confirmed()) === body['epoch'])
  expect((await call('POST', '/service/restored', { why: 'no such field' })).status).toBe(400)
})
