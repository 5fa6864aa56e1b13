import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../testing/api.js'

interface Operation {
  parameters?: {
    name: string
    in: string
    style?: string
    explode?: boolean
    schema: Record<string, unknown>
  }[]
  requestBody?: { required: boolean }
  responses: Record<string, { description: string; content?: Record<string, { schema: { $ref?: string } }> }>
}
interface Document {
  openapi: string
  info: { version: string }
  servers: { url: string }[]
  security: unknown[]
  paths: Record<string, Record<string, Operation>>
  components: {
    examples: Record<string, unknown>
    schemas: Record<string, unknown>
    securitySchemes: Record<string, unknown>
  }
}

let api: TestApi
let document: Document
beforeAll(async () => {
  api = await startApi()
  document = (await api.request('GET', '/openapi.json', { key: null })).json()
})
afterAll(() => api.close())

const operation = (method: string, path: string): Operation => {
  const found = document.paths[path]?.[method]
  if (!found) throw new Error(`${method} ${path} is not described`)
  return found
}

describe('/openapi.json', () => {
  it('is valid OpenAPI 3.1, version 1.0.0 [24.1]', async () => {
    const result = await new Validator().validate(
      structuredClone(document) as unknown as Record<string, unknown>,
    )
    expect(result).toMatchObject({ valid: true })
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0'])
    expect(document.servers).toEqual([{ url: 'http://api.test' }])
    expect(document.security).toEqual([{ apiKey: [] }])
  })

  it('describes exactly the existing endpoints [1.20, 24.2]', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.sort()).toEqual(
      [
        'GET /v1/phones/{id}/logs',
        'GET /v1/phones/{id}/crashes',
        'GET /v1/phones/{id}/notifications',
        'POST /v1/phones/{id}/notifications/{nid}/open',
        'POST /v1/phones/{id}/notifications/{nid}/dismiss',
        'POST /v1/phones/{id}/apps/{package}/permissions',
        'GET /v1/apps/library',
        'POST /v1/phones/{id}/apps',
        'POST /v1/phones/{id}/live',
        'GET /v1/phones/{id}/apps/installs',
        'POST /v1/apps/uploads',
        'GET /v1/apps/uploads',
        'GET /v1/apps/uploads/{id}',
        'POST /v1/apps/uploads/{id}/complete',
        'DELETE /v1/apps/uploads/{id}',
        'POST /v1/phones',
        'GET /v1/phones',
        'GET /v1/phones/{id}',
        'PATCH /v1/phones/{id}',
        'DELETE /v1/phones/{id}',
        'POST /v1/phones/{id}/reboot',
        'POST /v1/phones/{id}/reset',
        'POST /v1/setup',
        'POST /v1/setup/token',
        'POST /v1/phones/{id}/start',
        'POST /v1/phones/{id}/park',
        'POST /v1/phones/{id}/heartbeat',
        'GET /v1/phones/{id}/sessions',
        'GET /v1/phones/{id}/steps',
        'GET /v1/phones/{id}/steps/export',
        'GET /v1/phones/{id}/steps/{sid}',
        'GET /v1/phones/{id}/steps/{sid}/screenshot',
        'GET /v1/phones/{id}/observe',
        'GET /v1/phones/{id}/screenshot',
        'POST /v1/phones/{id}/actions',
        'POST /v1/phones/{id}/shell',
        'GET /v1/phones/{id}/apps',
        'DELETE /v1/phones/{id}/apps/{package}',
        'GET /v1/phones/{id}/files',
        'PUT /v1/phones/{id}/files',
        'GET /v1/phones/{id}/files/content',
        'DELETE /v1/phones/{id}/files',
        'GET /v1/phones/{id}/device',
        'GET /v1/phones/{id}/clipboard',
        'PUT /v1/phones/{id}/clipboard',
        'GET /v1/phones/{id}/location',
        'PUT /v1/phones/{id}/location',
        'DELETE /v1/phones/{id}/location',
        'GET /v1/phones/{id}/locale',
        'PUT /v1/phones/{id}/locale',
        'GET /v1/phones/{id}/timezone',
        'PUT /v1/phones/{id}/timezone',
        'POST /v1/phones/{id}/recordings',
        'GET /v1/phones/{id}/recordings',
        'POST /v1/phones/{id}/recordings/{rid}/stop',
        'GET /v1/phones/{id}/recordings/{rid}/video',
        'DELETE /v1/phones/{id}/recordings/{rid}',
        'POST /v1/phones/{id}/handoffs',
        'GET /v1/phones/{id}/handoffs/{hid}',
        'DELETE /v1/phones/{id}/handoffs/{hid}',
        'GET /v1/events',
        'POST /v1/webhooks',
        'GET /v1/webhooks',
        'GET /v1/webhooks/{wid}',
        'PATCH /v1/webhooks/{wid}',
        'DELETE /v1/webhooks/{wid}',
        'POST /v1/webhooks/{wid}/test',
        'POST /v1/webhooks/{wid}/rotate',
        'GET /v1/webhooks/{wid}/deliveries',
        'POST /v1/webhooks/{wid}/deliveries/{did}/retry',
        'GET /v1/account',
        'POST /v1/credits/checkout',
      ].sort(),
    )
  })

  it('names every schema once and has no dangling reference', () => {
    const names = Object.keys(document.components.schemas)
    expect(names.filter((name) => name.endsWith('Input'))).toEqual([])
    expect(names).toEqual(
      expect.arrayContaining(['Action', 'Error', 'Observation', 'Phone', 'Session', 'Target']),
    )
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref)
    expect(refs.length).toBeGreaterThan(20)
    const examples = Object.keys(document.components.examples)
    const targets = [
      ...names.map((name) => `#/components/schemas/${name}`),
      ...examples.map((name) => `#/components/examples/${name}`),
    ]
    expect([...new Set(refs)].sort()).toEqual(targets.sort())
  })

  it('lists the error codes of each endpoint', () => {
    const create = operation('post', '/v1/phones')
    expect(create.responses['402']?.description).toContain('insufficient_credits')
    expect(create.responses['402']?.description).toContain('spend_limit_reached')
    expect(create.responses['409']?.content?.['application/json']?.schema.$ref).toBe(
      '#/components/schemas/Error',
    )
    for (const [path, methods] of Object.entries(document.paths))
      for (const { responses } of Object.values(methods)) {
        const needsKey = !path.startsWith('/v1/setup')
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['403', '429', '500']))
        expect([path, '401' in responses]).toEqual([path, needsKey])
      }
  })

  it('describes all parameters and bodies', () => {
    const list = operation('get', '/v1/phones').parameters ?? []
    expect(list.map(({ name }) => name).sort()).toEqual([
      'Phonerack-Profile',
      'cursor',
      'limit',
      'metadata',
      'status',
    ])
    expect(list.find(({ name }) => name === 'metadata')).toMatchObject({ style: 'deepObject', explode: true })
    expect(list.find(({ name }) => name === 'limit')?.schema).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 50,
    })
    expect(operation('post', '/v1/phones').requestBody?.required).toBe(false)
    expect(operation('post', '/v1/phones/{id}/heartbeat').requestBody?.required).toBe(false)
    expect(operation('post', '/v1/phones/{id}/actions').requestBody?.required).toBe(true)
    expect(operation('put', '/v1/phones/{id}/files').requestBody?.required).toBe(true)
    for (const methods of Object.values(document.paths))
      for (const [method, { parameters = [] }] of Object.entries(methods))
        expect(parameters.some(({ name }) => name === 'Idempotency-Key')).toBe(method === 'post')
  })

  it('closes no list of values in responses: statuses, codes and types may grow [3.5, 22.11, 24.3]', () => {
    /** The schemas that responses refer to, each once. */
    const reached = new Set<string>()
    const closed: string[] = []
    const walk = (value: unknown, where: string): void => {
      if (typeof value !== 'object' || value === null) return
      // A single value is a constant, such as `deleted: true`.
      if ('enum' in value && (value.enum as unknown[]).length > 1) closed.push(where)
      if ('$ref' in value) {
        const name = String(value.$ref).replace('#/components/schemas/', '')
        if (!reached.has(name)) {
          reached.add(name)
          walk(document.components.schemas[name], name)
        }
      }
      for (const [key, inner] of Object.entries(value)) walk(inner, `${where}.${key}`)
    }
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { responses }] of Object.entries(methods)) walk(responses, `${method} ${path}`)
    expect([...reached]).toEqual(expect.arrayContaining(['Phone', 'Error', 'Upload', 'Session']))
    expect(closed).toEqual([])
    const phone = document.components.schemas['Phone'] as { properties: Record<string, object> }
    expect(phone.properties['status']).toHaveProperty('x-extensible-enum')
    // Values in requests are closed lists.
    const status = operation('get', '/v1/phones').parameters?.find(({ name }) => name === 'status')
    expect(status?.schema).toHaveProperty('enum')
  })
})

describe('a generated client', () => {
  interface Schema {
    $ref?: string
    type?: string
    properties?: Record<string, Schema & { default?: unknown; const?: unknown }>
    required?: string[]
    oneOf?: Schema[]
    anyOf?: Schema[]
    items?: Schema
  }
  interface Full {
    tags: { name: string; description: string }[]
    paths: Record<
      string,
      Record<
        string,
        {
          operationId: string
          summary?: string
          description?: string
          tags?: string[]
          requestBody?: { content: Record<string, { schema: Schema }> }
          responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
        }
      >
    >
    components: { schemas: Record<string, Schema> }
  }
  const full = () => document as unknown as Full
  const operations = () => Object.values(full().paths).flatMap((methods) => Object.values(methods))
  const named = ($ref: string): Schema => {
    const found = full().components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
    if (!found) throw new Error(`${$ref} is not there`)
    return found
  }

  it('finds a description of every operation and every tag', () => {
    const declared = new Set(full().tags.map(({ name }) => name))
    for (const { operationId, description, tags = [] } of operations()) {
      expect(description ?? '', operationId).toMatch(/^[A-Z`].*\.$/s)
      expect(tags, operationId).toHaveLength(1)
      for (const tag of tags) expect(declared, `${operationId}: ${tag}`).toContain(tag)
    }
    for (const { name, description } of full().tags) expect(description, name).toMatch(/\.$/)
  })

  it('gets a named type for every body, every response and every action', () => {
    for (const { operationId, requestBody, responses } of operations()) {
      const body = requestBody?.content['application/json']?.schema
      if (body) expect(body.$ref, `body of ${operationId}`).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/)
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const { schema } = content['application/json'] ?? {}
        if (schema)
          expect(schema.$ref, `${status} of ${operationId}`).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/)
      }
    }
    const { Action = {}, Target = {} } = full().components.schemas
    const actions = Action.oneOf ?? Action.anyOf ?? []
    expect(actions.length).toBeGreaterThan(15)
    for (const { $ref } of actions) expect($ref).toMatch(/\/[A-Z]\w+Action$/)
    expect(Action).toMatchObject({
      discriminator: {
        propertyName: 'type',
        mapping: { double_tap: '#/components/schemas/DoubleTapAction' },
      },
    })
    for (const { $ref } of Target.oneOf ?? Target.anyOf ?? []) expect($ref).toMatch(/\/[A-Z]\w+Target$/)
  })

  // openapi-typescript and others make a property optional only when it is not required and has no default.
  it('may leave out every field of a body that has a default', () => {
    const seen = new Set<Schema>()
    const optional = new Set<string>()
    const visit = (schema: Schema | undefined, at: string): void => {
      if (!schema || seen.has(schema)) return
      seen.add(schema)
      if (schema.$ref) return visit(named(schema.$ref), schema.$ref)
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        expect(field, `${at}.${name}`).not.toHaveProperty('default')
        if (!schema.required?.includes(name)) optional.add(`${at.slice(at.lastIndexOf('/') + 1)}.${name}`)
        visit(field, `${at}.${name}`)
      }
      for (const inner of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), schema.items]) visit(inner, at)
    }
    for (const { operationId, requestBody } of operations())
      visit(requestBody?.content['application/json']?.schema, operationId)
    for (const field of [
      'LongPressAction.duration_ms',
      'ScrollAction.amount',
      'RunActionsBody.observe',
      'StartPhoneBody.wait',
    ])
      expect(optional).toContain(field)
  })
})
