/** Last steps on the generated description, for what the generator cannot say. */
import { openValuesOfAnswers } from './open-values.js'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function* objectsIn(value: unknown): Generator<Json> {
  if (Array.isArray(value)) for (const item of value) yield* objectsIn(item)
  else if (isObject(value)) {
    yield value
    for (const item of Object.values(value)) yield* objectsIn(item)
  }
}

const refPrefix = '#/components/schemas/'

function refsIn(value: unknown): Set<string> {
  const refs = new Set<string>()
  for (const { $ref } of objectsIn(value))
    if (typeof $ref === 'string' && $ref.startsWith(refPrefix)) refs.add($ref.slice(refPrefix.length))
  return refs
}

/** Every schema is generated twice, as input and as output: keeps those that a path leads to. */
function pruneSchemas(document: Json): void {
  const components = document['components']
  if (!isObject(components) || !isObject(components['schemas'])) return
  const schemas = components['schemas']
  const wanted = new Set<string>()
  const pending = [...refsIn(document['paths'])]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (wanted.has(name)) continue
    wanted.add(name)
    pending.push(...refsIn(schemas[name]))
  }
  const kept = [...wanted].sort()
  const renames = new Map(
    kept
      .filter((name) => name.endsWith('Input') && !wanted.has(name.slice(0, -'Input'.length)))
      .map((name) => [name, name.slice(0, -'Input'.length)]),
  )
  components['schemas'] = Object.fromEntries(kept.map((name) => [renames.get(name) ?? name, schemas[name]]))
  for (const holder of objectsIn(document)) {
    const { $ref } = holder
    if (typeof $ref !== 'string' || !$ref.startsWith(refPrefix)) continue
    const renamed = renames.get($ref.slice(refPrefix.length))
    if (renamed !== undefined) holder['$ref'] = refPrefix + renamed
  }
}

/** A body that is no JSON has no schema for the generator. */
const rawBytes = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
}

/** Bodies with a default may be left out, and `name[key]=value` parameters are deep objects. */
function finishOperations(document: Json): void {
  for (const operation of objectsIn(document['paths'])) {
    const { requestBody, parameters } = operation
    if (isObject(requestBody)) {
      const schemas = [...objectsIn(requestBody['content'])].flatMap(({ schema }) =>
        isObject(schema) ? [schema] : [],
      )
      const [schema] = schemas
      requestBody['required'] = Array.isArray(schema?.['required']) && schema['required'].length > 0
    }
    if (operation['operationId'] === 'writeFile') operation['requestBody'] = rawBytes
    if (!Array.isArray(parameters)) continue
    for (const parameter of parameters.filter(isObject)) {
      const { schema } = parameter
      if (parameter['in'] === 'query' && isObject(schema) && schema['type'] === 'object') {
        parameter['style'] = 'deepObject'
        parameter['explode'] = true
      }
      if (parameter['name'] === 'idempotency-key') parameter['name'] = 'Idempotency-Key'
    }
  }
}

/** What each status means where the route says no more. */
const meanings: Record<string, string> = {
  '200': 'Done.',
  '201': 'Created, and ready.',
  '202': 'Accepted; not there yet.',
}

const textHeader = (description: string): Json => ({ description, schema: { type: 'string' } })

/** Headers that no schema carries. */
function finishResponses(document: Json): void {
  for (const { responses } of objectsIn(document['paths'])) {
    if (!isObject(responses)) continue
    for (const [status, response] of Object.entries(responses)) {
      if (!isObject(response)) continue
      if (response['description'] === 'Default Response') response['description'] = meanings[status] ?? ''
      response['headers'] = {
        'X-Request-Id': textHeader("The request's ID."),
        ...(status === '201' ? { Location: textHeader('The path of what was created.') } : {}),
        ...(status === '429' ? { 'Retry-After': textHeader('Seconds.') } : {}),
      }
    }
  }
}

export function finishDocument<T extends object>(document: T): T {
  const finished = structuredClone(document)
  pruneSchemas(finished as Json)
  finishOperations(finished as Json)
  finishResponses(finished as Json)
  openValuesOfAnswers(finished as Json)
  return finished
}
