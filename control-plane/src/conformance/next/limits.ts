/** Follows each `next` about keys, credit and limits. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import { generateKeyPairSync } from 'node:crypto'
import { createUser } from '@nats-io/jwt'
import { newId, newSecret, protocol } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorOf } from '../../testing/api.js'
import { changeProject, createKey, createProject } from '../../testing/operator.js'
import { createFollower, requestsIn, type Follower } from '../../testing/next/follow.js'
import { type Plane, type Tenant, type TenantOptions, type World } from '../../testing/world.js'

const publicKeyPem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString()

export function limitCases(world: () => World, seen: string[]): void {
  let plane: Plane
  let selling: Plane
  let provider: Server
  let pays: 'page' | 'refusal' = 'page'
  beforeAll(async () => {
    provider = createServer((request, response) => {
      request.resume().once('end', () => {
        const isPage = pays === 'page'
        response.writeHead(isPage ? 200 : 402, { 'content-type': 'application/json' })
        const page = { id: 'cs_1', object: 'checkout.session', url: 'https://pay.test/1' }
        response.end(
          JSON.stringify(isPage ? page : { error: { type: 'invalid_request_error', message: 'no' } }),
        )
      })
    }).listen(0, '127.0.0.1')
    await once(provider, 'listening')
    plane = await world().start({
      env: { PHONERACK_LIVE_LINKS_PER_PHONE: '1', PHONERACK_WAITS_PER_KEY: '1' },
    })
    await plane.rack(2, { beatMs: 200 })
    selling = await world().start({
      env: {
        PHONERACK_STRIPE_SECRET_KEY: 'sk_test_of_this_test',
        PHONERACK_STRIPE_WEBHOOK_SECRET: 'whsec_of_this_test',
        PHONERACK_STRIPE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
      },
    })
    await selling.rack(1, { beatMs: 200 })
  }, 60_000)
  afterAll(() => void provider.close())

  const of = (tenant: Tenant, on = plane): Follower => createFollower(on, tenant, seen)
  const tenantWith = async (options: TenantOptions = {}, on = plane): Promise<Follower> =>
    of(await on.tenant(options), on)
  const change = (api: Follower, to: Parameters<typeof changeProject>[2]) =>
    changeProject(api.plane.app.core, api.tenant.projectId, to)
  const create = (api: Follower, body: object = {}) => api.done('POST', '/v1/phones', body)
  /** Deletes the project's phones, so that the next test has free devices. */
  async function clear(api: Follower): Promise<void> {
    const { data } = (await api.done('GET', '/v1/phones')).json<{ data: { id: string }[] }>()
    for (const { id } of data) await api.done('DELETE', `/v1/phones/${id}`)
    const { db } = api.plane.app.core
    await expect
      .poll(() => db.device.count({ where: { state: { not: 'free' } } }), { timeout: 30_000 })
      .toBe(0)
  }

  it('a request without a key: the request with a key', async () => {
    const api = await tenantWith()
    const { next } = await api.refused(401, 'invalid_api_key', 'GET', '/v1/account', undefined, {
      authorization: '',
    })
    expect(next).toContain('Authorization: Bearer')
    await api.done('GET', '/v1/account')
  })

  it('a scope that the key lacks: a key with that scope', async () => {
    const api = await tenantWith({ preset: 'read-only' })
    const { next } = await api.refused(403, 'insufficient_scope', 'POST', '/v1/phones')
    expect(next).toContain('phones:create')
    const { key } = await createKey(plane.app.core, {
      project: api.tenant.projectId,
      preset: 'admin',
      expires: 'never',
    })
    const other = of({ ...api.tenant, key })
    await create(other)
    await clear(other)
  })

  it('a profile that leaves out a scope: the same key without the header', async () => {
    const api = await tenantWith()
    const { next } = await api.refused(403, 'insufficient_scope', 'POST', '/v1/phones', undefined, {
      'phonerack-profile': 'read-only',
    })
    expect(next).toContain('no header Phonerack-Profile')
    await create(api)
    await clear(api)
  })

  it('too many running phones: the list of running phones, and a park', async () => {
    const api = await tenantWith({ maxRunning: 1 })
    await create(api)
    const { next } = await api.refused(409, 'running_limit_reached', 'POST', '/v1/phones')
    const [list] = await api.follow(next)
    const [running] = list?.json<{ data: { id: string }[] }>().data ?? []
    await api.done('POST', `/v1/phones/${running?.id}/park`)
    await create(api)
    await clear(api)
  })

  it('too many phones: the list, and a delete', async () => {
    const api = await tenantWith({ maxPhones: 1 })
    await create(api)
    const { next } = await api.refused(409, 'phone_limit_reached', 'POST', '/v1/phones')
    const [list] = await api.follow(next)
    const [first] = list?.json<{ data: { id: string }[] }>().data ?? []
    await api.done('DELETE', `/v1/phones/${first?.id}`)
    await create(api)
    await clear(api)
  })

  it('too many parked phones: the list, and a delete', async () => {
    const api = await tenantWith()
    await change(api, { parked_limit: 1 })
    const first = (await create(api)).json<{ id: string }>()
    await api.done('POST', `/v1/phones/${first.id}/park`)
    const { next } = await api.refused(409, 'phone_limit_reached', 'POST', '/v1/phones')
    const [list] = await api.follow(next)
    const [parked] = list?.json<{ data: { id: string }[] }>().data ?? []
    await api.done('DELETE', `/v1/phones/${parked?.id}`)
    await create(api)
    await clear(api)
  })

  it('no free device: the list of parked phones, and a delete', async () => {
    const api = await tenantWith()
    const first = (await create(api)).json<{ id: string }>()
    await create(api)
    await api.done('POST', `/v1/phones/${first.id}/park`)
    const { next } = await api.refused(503, 'capacity_unavailable', 'POST', '/v1/phones')
    const [list] = await api.follow(next)
    const [parked] = list?.json<{ data: { id: string }[] }>().data ?? []
    expect(parked?.id).toBe(first.id)
    await api.done('DELETE', `/v1/phones/${parked?.id}`)
    await expect
      .poll(async () => (await api.send('POST', '/v1/phones')).statusCode, { timeout: 30_000 })
      .toBeLessThan(300)
    await clear(api)
  })

  it('too little credit, where credit is sold: a shorter session, or a page to pay', async () => {
    const api = await tenantWith({ credit: '0.2' }, selling)
    const body = { max_duration: 10_000 }
    const { next, details } = await api.refused(402, 'insufficient_credits', 'POST', '/v1/phones', body)
    const affordable = Number(/\d+/.exec(next)?.[0])
    expect(affordable).toBe(details['max_affordable_seconds'])
    await create(api, { max_duration: affordable })
    const [page] = await api.follow(next)
    expect(page?.json<{ url: string }>().url).toMatch(/^https:/)
    await clear(api)
    const none = await tenantWith({ credit: '0' }, selling)
    const error = await none.refused(402, 'insufficient_credits', 'POST', '/v1/apps/uploads')
    await none.follow(error.next)
    await change(none, { credit_usd: '10' })
    await none.done('POST', '/v1/apps/uploads')
  })

  it('too little credit, where no credit is sold: the operator', async () => {
    const api = await tenantWith({ credit: '0' })
    for (const [method, url] of [
      ['POST', '/v1/phones'],
      ['POST', '/v1/apps/uploads'],
    ] as const) {
      const { next } = await api.refused(402, 'insufficient_credits', method, url)
      expect(requestsIn(next)).toEqual([])
      expect(next).toMatch(/operator/)
    }
    const { next } = await api.refused(503, 'billing_not_configured', 'POST', '/v1/credits/checkout')
    expect(next).toMatch(/operator/)
    const webhook = await api.send('POST', '/webhooks/stripe', {})
    expect(api.note(webhook.json<{ error: { next: string } }>().error.next)).toMatch(/operator/)
    await change(api, { credit_usd: '10' })
    await create(api)
    await clear(api)
  })

  it('a payment provider that refuses a call: the same request again', async () => {
    const api = await tenantWith({}, selling)
    pays = 'refusal'
    const { next } = await api.refused(502, 'provider_error', 'POST', '/v1/credits/checkout')
    pays = 'page'
    await api.follow(next)
  })

  it('a project that is frozen: the operator', async () => {
    const api = await tenantWith()
    await change(api, { frozen: true })
    const { next } = await api.refused(402, 'project_frozen', 'POST', '/v1/phones')
    expect(next).toMatch(/operator/)
    await change(api, { frozen: false })
    await create(api)
    await clear(api)
  })

  it('a spending limit: a shorter session, or the operator', async () => {
    const api = await tenantWith({ spendLimit: '0.2' })
    const body = { max_duration: 10_000 }
    const refused = () => api.refused(402, 'spend_limit_reached', 'POST', '/v1/phones', body)
    const { next } = await refused()
    expect(next).toContain('`max_duration`')
    await create(api, { max_duration: Number(/\d+/.exec(next)?.[0]) })
    // The credit no longer covers any duration.
    const { next: then } = await refused()
    expect(then).not.toContain('max_duration')
    for (const text of [next, then]) expect(text).toMatch(/operator/)
    await change(api, { spend_limit_usd: '1000' })
    await create(api, body)
    await clear(api)
  })

  it('too many live links: a park ends the links', async () => {
    const api = await tenantWith()
    const phone = await api.newPhone()
    await api.done('POST', `/v1/phones/${phone}/live`)
    const { next } = await api.refused(429, 'rate_limited', 'POST', `/v1/phones/${phone}/live`)
    expect(next).toMatch(/park/i)
    await api.done('POST', `/v1/phones/${phone}/park`)
    await api.done('POST', `/v1/phones/${phone}/start`)
    await api.until(phone, 'ready')
    await api.done('POST', `/v1/phones/${phone}/live`)
    await clear(api)
  })

  it('too many waits: the request without `wait`', async () => {
    const api = await tenantWith()
    const phone = await api.newPhone()
    const url = `/v1/phones/${phone}?wait=parked&timeout=30`
    // Either request may come first; the other request is refused.
    const both = [api.send('GET', url), api.send('GET', url)]
    const refused = await Promise.race(both)
    const { next } = errorOf(refused, 429, 'rate_limited')
    expect(api.note(next)).toContain('`wait`')
    await api.done('GET', `/v1/phones/${phone}`)
    await api.done('POST', `/v1/phones/${phone}/park`, { wait: false })
    await Promise.all(both)
    await api.done('GET', url)
    await clear(api)
  })

  it('an address that sent too many wrong keys: a valid key', async () => {
    const strict = await world().start({ env: { PHONERACK_FAILURES_PER_MINUTE: '5' }, beside: plane })
    const api = of(await plane.tenant(), strict)
    const wrong = { authorization: `Bearer pr_${'a'.repeat(43)}` }
    const send = () => api.send('GET', '/v1/account', undefined, wrong)
    await expect.poll(async () => (await send()).statusCode, { timeout: 30_000 }).toBe(429)
    const { next } = await api.refused(429, 'rate_limited', 'GET', '/v1/account', undefined, wrong)
    expect(next).toMatch(/key/)
    await api.done('GET', '/v1/account')
  })

  it('a terminal whose setup has ended: a new setup', async () => {
    const api = await tenantWith()
    const begin = async () =>
      (await api.done('POST', '/v1/setup')).json<{ setup_token: string; user_code: string }>()
    const { setup_token } = await begin()
    await plane.app.core.db.setup.updateMany({ data: { expiresAt: new Date(0) } })
    const poll = { setup_token }
    const expired = await api.refused(409, 'setup_expired', 'POST', '/v1/setup/token', poll)
    const unknown = await api.refused(404, 'not_found', 'POST', '/v1/setup/token', {
      setup_token: `prs_${'a'.repeat(43)}`,
    })
    expect(unknown.next).toBe(expired.next)
    const [started] = await api.follow(expired.next)
    const { setup_token: fresh } = started?.json<{ setup_token: string }>() ?? {}
    const pending = await api.done('POST', '/v1/setup/token', { setup_token: fresh })
    expect(pending.json()).toMatchObject({ status: 'pending' })
  })

  it('an operator who approves a terminal: the project, and the code', async () => {
    const api = await tenantWith()
    await createProject(plane.app.core, { name: 'Another' })
    const approve = async (body: object) => {
      const answer = await operator('POST', '/setups/approve', body)
      return { status: answer.statusCode, ...answer.json<{ error?: { next: string } }>() }
    }
    const { user_code } = (await api.done('POST', '/v1/setup')).json<{ user_code: string }>()
    const several = await approve({ user_code })
    expect(several.status).toBe(400)
    expect(api.note(several.error?.next)).toMatch(/ctl setup approve \S+ --project/)
    const wrong = await approve({ user_code: '7KQM-2XPA', project: api.tenant.projectId })
    expect(wrong.status).toBe(404)
    expect(api.note(wrong.error?.next)).toMatch(/terminal/)
    expect((await approve({ user_code, project: api.tenant.projectId })).status).toBe(201)
  })

  const operator = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, headers: object = {}) =>
    plane.operator.inject({
      method,
      url: `/operator/v1${path}`,
      headers: { authorization: `Bearer ${plane.operatorToken}`, ...headers },
      ...(body ? { payload: body } : {}),
    })

  it('a host without a valid join token: a new token', async () => {
    const answer = await plane.server.inject({
      method: 'POST',
      url: '/host/v1/join',
      headers: { [protocol.header]: String(protocol.version) },
      payload: {
        token: newSecret('hostJoin'),
        name: 'late',
        country: 'US',
        public_key_pem: publicKeyPem(),
        nats_public_key: createUser().getPublicKey(),
      },
    })
    expect(answer.statusCode, answer.body).toBe(401)
    seen.push(answer.json<{ error: { next: string } }>().error.next)
    const host = await plane.agent('late')
    await expect.poll(() => plane.app.core.db.host.count({ where: { id: host.hostId } })).toBe(1)
  })

  it('an operator without a valid token, and with a used Idempotency-Key: a token, and a new key', async () => {
    const api = await tenantWith()
    const nextOf = (answer: Awaited<ReturnType<typeof operator>>, status: number): string => {
      expect(answer.statusCode).toBe(status)
      return api.note(answer.json<{ error: { next: string } }>().error.next)
    }
    const none = nextOf(await operator('GET', '/projects', undefined, { authorization: '' }), 401)
    expect(none).toContain('Authorization: Bearer')
    const make = (name: string) => operator('POST', '/operator-tokens', { name })
    const { id, token } = (await make('Ann')).json<{ id: string; token: string }>()
    await operator('DELETE', `/operator-tokens/${id}`)
    const revoked = nextOf(
      await operator('GET', '/projects', undefined, { authorization: `Bearer ${token}` }),
      401,
    )
    expect(revoked).toContain('ctl operator token create')
    const { token: fresh } = (await make('Bob')).json<{ token: string }>()
    const read = await operator('GET', '/projects', undefined, { authorization: `Bearer ${fresh}` })
    expect(read.statusCode).toBe(200)
    const keys = [newId('request'), newId('request')] as const
    const send = (name: string, key: string) =>
      operator('POST', '/projects', { name }, { 'idempotency-key': key })
    expect((await send('one', keys[0])).statusCode).toBe(201)
    nextOf(await send('two', keys[0]), 409)
    expect((await send('one', keys[0])).statusCode).toBe(201)
    expect((await send('two', keys[1])).statusCode).toBe(201)
  })
}
