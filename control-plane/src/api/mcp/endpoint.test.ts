/** POST /mcp as HTTP: key, Origin, methods, bodies, limits, and both kinds of protocol. */
import { isStorable } from '@phonerack/shared'
import { hostileTexts } from '@phonerack/shared/testing/plain-texts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ErrorBody, startApi, type TestApi } from '../../testing/api.js'
import { connectMcp, call, eras, errorIn, listen, messageIn, post } from '../../testing/mcp-client.js'
import { tools } from './tools/index.js'

const allowed = 'https://agents.example.com'
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const account = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_account' } }

let api: TestApi
let url: string
beforeAll(async () => {
  api = await startApi({ http: { mcpOrigins: [allowed] } })
  url = await listen(api.app)
})
afterAll(() => api.close())

/** The error envelope of an answer. */
async function envelope(response: Response, status: number): Promise<ErrorBody> {
  expect(response.status).toBe(status)
  const { error } = (await response.json()) as { error: ErrorBody }
  expect(error.request_id).toBe(response.headers.get('x-request-id'))
  return error
}

describe('the key', () => {
  it('answers 401 with the envelope without a key, and with an unknown one [40.1]', async () => {
    for (const key of [null, `prk_${'a'.repeat(43)}`]) {
      const response = await post(url, key, list)
      const challenge = response.headers.get('www-authenticate')
      expect(challenge).toMatch(/ resource_metadata="http\S+\/oauth-protected-resource\/mcp"$/)
      expect(challenge?.startsWith('Bearer error="invalid_token", ')).toBe(key !== null)
      expect(await envelope(response, 401)).toMatchObject({ code: 'invalid_api_key' })
    }
  })

  it.each(eras)('shows every tool to a read-only key in revision %s [40.2]', async (era) => {
    const client = await connectMcp(url, await api.keyOf('read-only'), era)
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(client.getInstructions()).toContain('park_phone')
    await client.close()
  })

  it.each(eras)(
    'answers a missing scope as a result with the envelope in revision %s [40.3]',
    async (era) => {
      const client = await connectMcp(url, await api.keyOf('read-only'), era)
      const refused = await call(client, 'create_phone')
      expect(refused.isError).toBe(true)
      expect(errorIn(refused)).toMatchObject({
        type: 'permission_error',
        code: 'insufficient_scope',
        details: { required: 'phones:create' },
        request_id: expect.stringMatching(/^req_/) as string,
      })
      expect(refused.text).toContain('error insufficient_scope: ')
      expect(refused.text).toContain('"required":"phones:create"')
      await client.close()
    },
  )
})

describe('the transport', () => {
  it('serves a revision of 2025 without an initialize before it [40.12]', async () => {
    const response = await post(url, api.key, list, { 'mcp-protocol-version': '2025-06-18' })
    expect(response.status).toBe(200)
    expect((await messageIn(response)).result).toMatchObject({ tools: expect.any(Array) as unknown[] })
    const called = await messageIn(await post(url, api.key, account))
    expect(called.result).toMatchObject({ structuredContent: { balance_usd: '1000.000000' } })
  })

  it('accepts a notification, and returns no session', async () => {
    const response = await post(url, api.key, { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(response.status).toBe(202)
    expect(response.headers.get('mcp-session-id')).toBeNull()
  })

  it.each(['GET', 'DELETE'])('answers 405 to %s [40.13]', async (method) => {
    const headers = { authorization: `Bearer ${api.key}`, accept: 'text/event-stream' }
    const response = await fetch(`${url}/mcp`, { method, headers })
    expect(response.headers.get('allow')).toContain('POST')
    expect(await envelope(response, 405)).toMatchObject({ code: 'method_not_allowed' })
  })

  it.each(['[]', `  \n[${JSON.stringify(account)}]`])(
    'answers 400 invalid_request to the batch %s [23.2, 40.14]',
    async (body) => {
      const before = api.calls.length
      expect(await envelope(await post(url, api.key, body), 400)).toMatchObject({
        type: 'invalid_request_error',
        code: 'invalid_request',
        retryable: false,
      })
      expect(api.calls.slice(before).filter(({ name }) => !name.startsWith('keys.'))).toEqual([])
    },
  )

  it.each(['', 'x', '1', '{"a":', '{"__proto__":{}}'])('answers 400 to the body %j', async (body) => {
    expect(await envelope(await post(url, api.key, body), 400)).toMatchObject({ code: 'validation_failed' })
  })

  it('answers 400 to another content type, and 413 to a body over 200 KB', async () => {
    expect(
      await envelope(await post(url, api.key, list, { 'content-type': 'text/plain' }), 400),
    ).toMatchObject({ details: { validation_stage: 'content_type' } })
    const large = { ...account, params: { ...account.params, _meta: { a: 'a'.repeat(200_000) } } }
    expect(await envelope(await post(url, api.key, large), 413)).toMatchObject({ code: 'payload_too_large' })
  })

  it('answers an unknown tool and an unknown method with an error of JSON-RPC', async () => {
    const unknown = { ...account, params: { name: 'no_such_tool' } }
    expect((await messageIn(await post(url, api.key, unknown))).error).toMatchObject({ code: -32_602 })
    const method = { jsonrpc: '2.0', id: 3, method: 'resources/list' }
    expect((await messageIn(await post(url, api.key, method))).error).toMatchObject({ code: -32_601 })
  })
})

describe('the answers', () => {
  it.each(eras)(
    'hide nothing from people, in text and in structured content, in revision %s',
    async (era) => {
      const { db } = api.plane.app.core
      const shown = hostileTexts.filter(({ text }) => isStorable(text))
      const where = { id: api.tenant.projectId }
      const { name } = await db.project.findUniqueOrThrow({ where })
      await db.project.update({ where, data: { name: shown.map(({ text }) => text).join('|') } })
      const client = await connectMcp(url, api.key, era)
      const { text, structured } = await call(client, 'get_account')
      await db.project.update({ where, data: { name } })
      const expected = shown.map(({ lines }) => lines).join('|')
      expect(structured['project']).toBe(expected)
      expect(text).toContain(JSON.stringify(expected))
      await client.close()
    },
  )
})

describe('the Origin', () => {
  it('answers 403 to an origin that is not listed, before the key is read [40.15]', async () => {
    for (const origin of ['https://evil.example', `${allowed}.evil.example`, 'null'])
      expect(await envelope(await post(url, null, list, { origin }), 403)).toMatchObject({
        code: 'browser_requests_not_allowed',
      })
  })

  it('accepts a listed origin with the headers that browsers need', async () => {
    const response = await post(url, api.key, list, { origin: allowed })
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe(allowed)
    expect(response.headers.get('vary')).toBe('Origin')
    const asked = await fetch(`${url}/mcp`, { method: 'OPTIONS', headers: { origin: allowed } })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization')
    const other = await fetch(`${url}/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    })
    expect(other.status).toBe(403)
  })

  it('is still refused on /v1, listed or not [40.16]', async () => {
    const headers = { origin: allowed, authorization: `Bearer ${api.key}` }
    expect(await envelope(await fetch(`${url}/v1/account`, { headers }), 403)).toMatchObject({
      code: 'browser_requests_not_allowed',
    })
  })
})

describe('the limits of a key', () => {
  it('counts a tool call once, with the requests of the same key to /v1 [40.17]', async () => {
    const limited = await api.beside({ requestsPerKeyPerMinute: 3 })
    const base = await listen(limited.app)
    // The call sends a request to `/v1`.
    const settings = { name: 'set_device', arguments: { phone_id: 'ph_aaaaaaaaaaaa' } }
    for (let count = 0; count < 2; count += 1)
      expect((await post(base, api.key, { ...account, params: settings })).status).toBe(200)
    expect((await limited.request('GET', '/v1/account')).statusCode).toBe(200)
    const refused = await post(base, api.key, account)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await envelope(refused, 429)).toMatchObject({ code: 'rate_limited' })
    expect((await limited.request('GET', '/v1/account')).statusCode).toBe(429)
  })

  it('sends its requests with the ID of the client, which the activity shows [40.18]', async () => {
    const id = await api.placePhone('parked')
    const park = { ...account, params: { name: 'park_phone', arguments: { phone_id: id } } }
    const response = await post(url, api.key, park)
    const requestId = response.headers.get('x-request-id')
    await response.text()
    await expect
      .poll(() => api.plane.app.core.db.activity.findMany({ where: { phoneId: id } }))
      .toMatchObject([{ requestId, route: '/v1/phones/:id/park', status: 200 }])
  })

  it('hides phones from a key that is limited to others [40.19]', async () => {
    const [own, other] = [await api.placePhone('parked'), await api.placePhone('parked')]
    const client = await connectMcp(url, await api.keyOf('agent', [own]), '2026-07-28')
    const listed = await call(client, 'list_phones')
    expect(listed.structured).toMatchObject({ data: [{ id: own }], next_cursor: null })
    expect(listed.text).toContain(own)
    expect(listed.text).not.toContain(other)
    expect(errorIn(await call(client, 'get_phone', { phone_id: other }))).toMatchObject({
      code: 'phone_not_allowed',
    })
    await client.close()
  })
})
