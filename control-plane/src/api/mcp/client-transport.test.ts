/** Requests and limits of clients over HTTP. Each row of the table "Clients" in docs/mcp.md names a test. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../testing/api.js'
import { listen, messageIn, post } from '../../testing/mcp-client.js'
import { toolList } from './tool-list.js'

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

let api: TestApi
let url: string
beforeAll(async () => {
  api = await startApi({})
  url = await listen(api.app)
})
afterAll(() => api.close())

describe('a request', () => {
  it.each(['application/json', 'text/event-stream', '*/*', 'text/event-stream, application/json', ''])(
    'with Accept %j is answered in a form that it accepts',
    async (accept) => {
      const response = await post(url, api.key, list, { accept })
      expect(response.status).toBe(200)
      const type = response.headers.get('content-type') ?? ''
      if (accept.startsWith('application/json') || accept.startsWith('text/event-stream'))
        expect(accept).toContain(type.split(';')[0])
      expect((await messageIn(response)).result).toHaveProperty('tools')
    },
  )

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'initializes in revision %s, and then has no session',
    async (protocolVersion) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
      const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
      const started = await post(url, api.key, initialize)
      expect(started.headers.get('mcp-session-id')).toBeNull()
      const version = String((await messageIn(started)).result?.['protocolVersion'])
      const ready = { jsonrpc: '2.0', method: 'notifications/initialized' }
      expect((await post(url, api.key, ready, { 'mcp-protocol-version': version })).status).toBe(202)
      const response = await post(url, api.key, list, { 'mcp-protocol-version': version })
      expect((await messageIn(response)).result).toHaveProperty('tools')
    },
  )

  it('in an unknown revision is offered a known one', async () => {
    const params = {
      protocolVersion: '2031-01-01',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const answer = await post(url, api.key, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
    expect((await messageIn(answer)).result?.['protocolVersion']).toMatch(/^202[56]-/)
  })

  it('with the session of an earlier server is answered', async () => {
    const response = await post(url, api.key, list, { 'mcp-session-id': 'old', 'last-event-id': '7' })
    expect((await messageIn(response)).result).toHaveProperty('tools')
  })

  it.each([null, {}, { cursor: null }])('with the params %j is answered', async (params) => {
    expect((await messageIn(await post(url, api.key, { ...list, params }))).result).toHaveProperty('tools')
  })

  it.each(['/mcp/', '/mcp?x=1'])('to %s is answered', async (path) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `bearer ${api.key}`,
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(list),
    })
    expect(response.status).toBe(200)
    expect((await messageIn(response)).result).toHaveProperty('tools')
  })

  it('for resources, prompts and a ping gets no failure of HTTP', async () => {
    for (const method of ['ping', 'resources/list', 'prompts/list', 'logging/setLevel'])
      expect((await post(url, api.key, { jsonrpc: '2.0', id: 1, method })).status, method).toBeLessThan(500)
    expect(
      (await messageIn(await post(url, api.key, { jsonrpc: '2.0', id: 1, method: 'ping' }))).result,
    ).toEqual({})
  })

  it.each(['GET', 'DELETE'])(
    'by %s is answered 405 with Allow, so that the client goes on by POST',
    async (method) => {
      const headers = {
        authorization: `Bearer ${api.key}`,
        accept: 'text/event-stream',
        'mcp-session-id': 'old',
      }
      const response = await fetch(`${url}/mcp`, { method, headers })
      expect([response.status, response.headers.get('allow')?.includes('POST')]).toEqual([405, true])
    },
  )
})

/** All schemas in a value. */
function* schemasIn(value: unknown): Generator<Record<string, unknown>> {
  if (Array.isArray(value)) for (const each of value) yield* schemasIn(each)
  else if (typeof value === 'object' && value !== null) {
    yield value as Record<string, unknown>
    yield* schemasIn(Object.values(value))
  }
}

describe('the list of tools', () => {
  it('has names that fit with the name of the server into 60 characters, and fewer tools than 40', () => {
    expect(toolList.length).toBeLessThan(40)
    for (const { name } of toolList) {
      expect(name).toMatch(/^[a-z][a-z_]*$/)
      expect(`mcp__phonerack__${name}`.length).toBeLessThanOrEqual(60)
    }
  })

  it('has only schemas that each provider accepts', () => {
    const unknown = [
      '$ref',
      '$defs',
      '$schema',
      'anyOf',
      'oneOf',
      'allOf',
      'not',
      'const',
      'patternProperties',
    ]
    const more = [
      'propertyNames',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'prefixItems',
      'default',
      'examples',
    ]
    for (const { name, inputSchema } of toolList)
      for (const schema of schemasIn(inputSchema)) {
        for (const keyword of [...unknown, ...more]) expect(Object.keys(schema), name).not.toContain(keyword)
        if (schema['type'] === 'array') expect(schema, name).toHaveProperty('items')
        expect(Array.isArray(schema['type']), name).toBe(false)
        // Enumerations of Gemini are texts.
        for (const value of (schema['enum'] ?? []) as unknown[]) expect(typeof value, name).toBe('string')
      }
    for (const { inputSchema } of toolList) expect(inputSchema).toHaveProperty('properties')
  })

  it('describes each tool in at most 1024 characters', () => {
    for (const { name, description = '' } of toolList)
      expect(description.length, name).toBeLessThanOrEqual(1024)
  })
})
