/**
 * Checks that every operation has examples, which fit their schemas and are accepted by the
 * service.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../testing/api.js'
import { operationExamples } from './examples/index.js'

interface Media {
  schema: { properties?: Record<string, { description?: string }> }
  examples?: Record<string, { value?: unknown; $ref?: string }>
}
interface Operation {
  operationId: string
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { description: string; content: Record<string, Media> }>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: {
    examples: Record<string, { value: { error: { code: string } } }>
    schemas: Record<string, { properties?: Record<string, { description?: string }> }>
  }
}

let api: TestApi
let document: Document
let operations: (Operation & { method: string; path: string })[]
beforeAll(async () => {
  api = await startApi({ devices: 1 })
  document = (await api.request('GET', '/openapi.json', { key: null })).json()
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  )
})
afterAll(() => api.close())

/** The places of bodies and responses, as JSON pointers, with their examples. */
function places() {
  return operations.flatMap(({ method, path, operationId, requestBody, responses }) => {
    const holders = [
      ...(requestBody ? [{ at: ['requestBody'], holder: requestBody }] : []),
      ...Object.entries(responses).map(([status, holder]) => ({ at: ['responses', status], holder })),
    ]
    return holders.flatMap(({ at, holder }) =>
      Object.entries(holder.content).map(([mediaType, media]) => ({
        name: [operationId, ...at.slice(-1), mediaType].join(' '),
        mediaType,
        pointer: ['paths', path, method, ...at, 'content', mediaType, 'schema']
          .map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`)
          .join(''),
        examples: Object.values(media.examples ?? {}).map(({ $ref, value }) =>
          $ref === undefined ? value : document.components.examples[$ref.split('/').at(-1) ?? '']?.value,
        ),
      })),
    )
  })
}

it('shows each body, each response and each error', () => {
  const readable = places().filter(({ mediaType }) => /json|text/.test(mediaType))
  expect(readable.length).toBeGreaterThan(200)
  expect(readable.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([])
})

it('has no unused example', () => {
  for (const [operationId, { body, answers = {}, text }] of Object.entries(operationExamples)) {
    const operation = operations.find((each) => each.operationId === operationId)
    const { requestBody, responses = {} } = operation ?? {}
    const shown = [
      body && requestBody?.content['application/json']?.examples,
      ...Object.keys(answers).map((status) => responses[status]?.content['application/json']?.examples),
      (responses['200']?.content['text/plain'] ?? responses['200']?.content['text/event-stream'])?.examples,
    ].filter((examples) => examples !== undefined)
    expect([operationId, ...shown]).toEqual(
      [operationId, body, ...Object.values(answers), text].filter((examples) => examples !== undefined),
    )
  }
})

it('shows what the schemas allow', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ ...document, $id: 'openapi' })
  const wrong = places().flatMap(({ name, pointer, examples }) => {
    const validate = ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` })
    return examples
      .filter((value) => !validate(value))
      .map(() => `${name}: ${ajv.errorsText(validate.errors)}`)
  })
  expect(wrong).toEqual([])
})

it('shows bodies that the service accepts', async () => {
  const phone = await api.placePhone('parked')
  for (const { operationId, method, path, requestBody } of operations)
    for (const { value } of Object.values(requestBody?.content['application/json']?.examples ?? {})) {
      const answer = await api.request(
        method.toUpperCase(),
        path.replace('{id}', phone).replace('{package}', 'com.example.shop'),
        { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(value) },
      )
      const { error } = answer.json<{ error?: { details: { validation_stage?: string } } }>()
      expect([operationId, error?.details.validation_stage === 'body' ? error : 'taken']).toEqual([
        operationId,
        'taken',
      ])
    }
})

it('shows each error under the statuses that name its code, and no other', () => {
  for (const { operationId, responses } of operations)
    for (const [status, { description, content }] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      const shown = Object.values(content['application/json']?.examples ?? {}).map(
        ({ $ref }) => document.components.examples[$ref?.split('/').at(-1) ?? '']?.value.error.code,
      )
      const named = [...description.matchAll(/`(\w+)`: /g)].map(([, code]) => code)
      expect([operationId, status, ...shown]).toEqual([operationId, status, ...named])
    }
})

it('describes every parameter and every field of a body', () => {
  const parameters = operations.flatMap(({ operationId, parameters: all = [] }) =>
    all.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
  )
  const fields = operations.flatMap(({ operationId, requestBody }) => {
    const schema = requestBody?.content['application/json']?.schema
    return Object.entries(schema?.properties ?? {})
      .filter(([, { description }]) => !description)
      .map(([name]) => `${operationId} ${name}`)
  })
  expect([...parameters, ...fields]).toEqual([])
})
