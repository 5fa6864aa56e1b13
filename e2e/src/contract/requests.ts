/** Builds random requests from the description: valid requests, and requests with one fault. */
import fc from 'fast-check'
import type { Contract, Operation, Parameter, Schema } from './document.js'

/** A placeholder for the ID of an object that the run created; the sender replaces it. */
export type Place = 'steady phone' | 'changing phone' | 'upload' | 'handoff'

export interface ContractRequest {
  operation: Operation
  /** The values of the path's parameters: final values, or placeholders. */
  path: Record<string, { text: string } | { place: Place }>
  query: [string, string][]
  headers: Record<string, string>
  key: 'admin' | 'agent' | 'read-only' | 'unknown' | 'none'
  body: { mediaType: string; bytes: string } | null
  /** The intended fault. */
  broken: string
}

/** Milliseconds and seconds that a request can ask to wait, so that a run ends. */
const waits = new Set(['ms', 'timeout_ms', 'duration_ms', 'hold_ms'])
const mostWait = 500

/** Operations that end or restart a session: never sent to the phone that other requests use. */
const unsettling = /\/(park|start|reboot|reset)$/

/** Returns values of a schema. They are small, since other tests cover sizes. */
export function valuesOf(contract: Contract, given: Schema, name = '', depth = 0): fc.Arbitrary<unknown> {
  const schema = contract.resolve(given)
  const inner = (found: Schema, key = '') => valuesOf(contract, found, key, depth + 1)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const forms = schema.oneOf ?? schema.anyOf
  if (forms) return fc.oneof(...forms.map((form) => inner(form, name)))
  switch (schema.type) {
    case 'string':
      if (schema.pattern !== undefined)
        return fc.stringMatching(new RegExp(schema.pattern)).map((text) => text.slice(0, schema.maxLength))
      return fc.string({
        unit: 'grapheme',
        minLength: schema.minLength ?? 0,
        maxLength: Math.min(schema.maxLength ?? 40, 40),
      })
    case 'integer': {
      const min = Math.max(schema.minimum ?? 0, -10_000)
      const most = waits.has(name) ? mostWait : name === 'timeout' ? 1 : 10_000
      return fc.integer({ min, max: Math.max(min, Math.min(schema.maximum ?? most, most)) })
    }
    case 'number':
      return fc.double({
        min: schema.minimum ?? -1000,
        max: schema.maximum ?? 1000,
        noNaN: true,
        noDefaultInfinity: true,
      })
    case 'boolean':
      return fc.boolean()
    case 'array': {
      const minLength = schema.minItems ?? 0
      return fc.array(inner(schema.items ?? {}), { minLength, maxLength: Math.max(minLength, 3) })
    }
    case 'object': {
      const fields = Object.entries(schema.properties ?? {})
      if (fields.length > 0)
        return fc.record(Object.fromEntries(fields.map(([key, value]) => [key, inner(value, key)])), {
          requiredKeys: schema.required ?? [],
          noNullPrototype: true,
        })
      const more = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {}
      const keys = schema.propertyNames ? inner(schema.propertyNames) : fc.string()
      return fc.dictionary(keys as fc.Arbitrary<string>, inner(more), { maxKeys: 3, noNullPrototype: true })
    }
    default:
      return depth > 3 ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 })
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function queryOf(contract: Contract, parameters: Parameter[]): fc.Arbitrary<[string, string][]> {
  const each = parameters.map((parameter) => {
    const values = valuesOf(contract, parameter.schema, parameter.name).map((value): [string, string][] =>
      parameter.style === 'deepObject'
        ? Object.entries(value as Record<string, unknown>).map(([key, inner]) => [
            `${parameter.name}[${key}]`,
            asText(inner),
          ])
        : [[parameter.name, asText(value)]],
    )
    // File paths have a special form, which the description gives only as text.
    const pairs =
      parameter.name === 'path'
        ? fc.oneof(
            fc.constantFrom<[string, string][]>([['path', '/sdcard']], [['path', '/sdcard/Download']]),
            fc.string({ unit: 'grapheme', maxLength: 20 }).map((file): [string, string][] => {
              return [['path', `/sdcard/Download/${file.replaceAll('/', '_')}`]]
            }),
            values,
          )
        : values
    return parameter.required ? pairs : fc.option(pairs, { nil: [] as [string, string][] })
  })
  return fc.tuple(...each).map((pairs) => {
    const query = pairs.flat()
    const has = (name: string) => query.some(([key]) => key === name)
    // A poll without a timeout lasts almost a minute.
    return has('wait') && !has('timeout') ? [...query, ['timeout', '1']] : query
  })
}

function pathOf(operation: Operation): fc.Arbitrary<ContractRequest['path']> {
  const of = (name: string): fc.Arbitrary<{ text: string } | { place: Place }> => {
    if (name === 'package')
      return fc.constantFrom({ text: 'com.example.gone' }, { text: 'com.android.settings' })
    if (name === 'hid') return fc.constant({ place: 'handoff' })
    if (name === 'rid') return fc.constant({ text: 'rec_aaaaaaaaaaaa' })
    if (operation.path.includes('/uploads/')) return fc.constant({ place: 'upload' })
    const changes =
      unsettling.test(operation.path) ||
      (operation.method === 'DELETE' && operation.path === '/v1/phones/{id}')
    return fc.constant({ place: changes ? 'changing phone' : 'steady phone' })
  }
  const names = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  return fc.record(Object.fromEntries(names.map((name) => [name, of(name)])), { noNullPrototype: true })
}

function validOf(contract: Contract, operation: Operation): fc.Arbitrary<ContractRequest> {
  const { body } = operation
  const bytes: fc.Arbitrary<ContractRequest['body']> =
    body === null
      ? fc.constant(null)
      : body.mediaType === 'application/json'
        ? valuesOf(contract, body.schema).map((value) => ({
            mediaType: body.mediaType,
            bytes: JSON.stringify(value),
          }))
        : fc.string({ maxLength: 200 }).map((text) => ({ mediaType: body.mediaType, bytes: text }))
  return fc.record({
    operation: fc.constant(operation),
    path: pathOf(operation),
    query: queryOf(
      contract,
      operation.parameters.filter((parameter) => parameter.in === 'query'),
    ),
    headers: fc.constant({}),
    key: fc.constantFrom<ContractRequest['key'][]>('admin', 'agent'),
    body: body?.required === false ? fc.option(bytes, { nil: null }) : bytes,
    broken: fc.constant(''),
  })
}

type Breaking = fc.Arbitrary<(request: ContractRequest) => ContractRequest>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const changeJson = (
  request: ContractRequest,
  broken: string,
  change: (value: Record<string, unknown>) => unknown,
): ContractRequest => {
  if (request.body?.mediaType !== 'application/json') return request
  const value: unknown = JSON.parse(request.body.bytes)
  if (!isObject(value)) return request
  const bytes = JSON.stringify(change(value))
  return { ...request, body: { ...request.body, bytes }, broken }
}

const text = fc.string({ unit: 'binary', maxLength: 60 })

const breakings: Breaking[] = [
  fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 3 })).map(
    ([nth, value]) =>
      (request) =>
        changeJson(request, 'another value of a field', (found) => {
          const keys = Object.keys(found)
          const key = keys[nth % Math.max(keys.length, 1)]
          return key === undefined ? value : { ...found, [key]: value }
        }),
  ),
  fc
    .nat()
    .map(
      (nth) => (request) =>
        changeJson(request, 'a field less', (found) =>
          Object.fromEntries(
            Object.entries(found).filter((_, index, all) => index !== nth % Math.max(all.length, 1)),
          ),
        ),
    ),
  text.map(
    (key) => (request) => changeJson(request, 'a field more', (found) => ({ ...found, [`x${key}`]: 1 })),
  ),
  fc
    .oneof(text, fc.constantFrom('{', '[]', 'null', '"', '{"a":1}}', '\u0000', '[[[[[[[['))
    .map((bytes) => (request) => ({
      ...request,
      body: request.operation.method === 'GET' ? null : { mediaType: 'application/json', bytes },
      broken: 'text for a body',
    })),
  fc
    .constantFrom('text/plain', 'application/xml', 'application/json; charset=latin1', 'x')
    .map((mediaType) => (request) => ({
      ...request,
      body: request.body && { ...request.body, mediaType },
      broken: 'another media type',
    })),
  // The names are not empty, and not `.` or `..`, which clients normalise before they send them.
  fc
    .oneof(
      text.filter((found) => !/^\.*$/.test(found)),
      fc.constantFrom('ph_aaaaaaaaaaaa', 'ph_', '%00', "'; drop table phones --"),
    )
    .map((found) => (request) => ({
      ...request,
      path: Object.fromEntries(Object.keys(request.path).map((name) => [name, { text: found }])),
      broken: 'another ID',
    })),
  fc
    .tuple(fc.constantFrom('limit', 'cursor', 'wait', 'path', 'unknown', 'max_width', 'status'), text)
    .map(([name, value]) => (request) => ({
      ...request,
      query: [...request.query, [name, value]],
      broken: 'a parameter more, or one twice',
    })),
  fc
    .constantFrom<ContractRequest['key'][]>('none', 'unknown', 'read-only')
    .map((key) => (request) => ({ ...request, key, broken: `${key} key` })),
  fc
    .constantFrom('https://example.com', 'null')
    .map((origin) => (request) => ({ ...request, headers: { origin }, broken: 'a browser' })),
  fc
    .oneof(fc.constantFrom('same-key-again', 'short', ''), fc.string({ maxLength: 140 }))
    .map((key) => (request) => {
      if (request.operation.method !== 'POST') return request
      // The client cannot send a character that a header cannot contain.
      const sent = key.replace(/[^\x20-\x7e]/g, '').trim()
      return { ...request, headers: { 'idempotency-key': sent }, broken: 'an Idempotency-Key' }
    }),
]

/**
 * The weight of an operation. An operation that works on a phone costs at least ten times as much as the
 * others, and the specification allows few setups a minute, which no configuration raises.
 */
const weightOf = ({ path, responses }: Operation): number =>
  path.startsWith('/v1/setup') || responses['409']?.description.includes('`phone_starting`') ? 1 : 8

/** Half of the requests are valid, and half have one fault. */
export function requestsOf(contract: Contract): fc.Arbitrary<ContractRequest> {
  const all = contract.operations.map((operation) => ({
    weight: weightOf(operation),
    arbitrary: validOf(contract, operation),
  }))
  return fc
    .tuple(fc.oneof(...all), fc.option(fc.oneof(...breakings)))
    .map(([request, breaking]) => (breaking ? breaking(request) : request))
}
