/** Final steps on the generated description, for facts that the generator cannot express. */
import { profiles } from '../../base/core/caller.js'
import { profileHeader } from '../../rental/keys/profile.js'
import { addExamples } from './add-examples.js'
import { isObject, objectsIn, operationsOf, type Json } from './json.js'
import { descriptions } from './descriptions.js'
import { describeDefaults, nameSchemas } from './name-schemas.js'
import { openValuesOfAnswers } from './open-values.js'

const refPrefix = '#/components/schemas/'

function refsIn(value: unknown): Set<string> {
  const refs = new Set<string>()
  for (const { $ref } of objectsIn(value))
    if (typeof $ref === 'string' && $ref.startsWith(refPrefix)) refs.add($ref.slice(refPrefix.length))
  return refs
}

/**
 * The generator writes every schema twice, as input and as output. This step keeps the schemas that a path refers to.
 */
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

/** The schema of a body that is not JSON, which the generator omits. */
const rawBytes = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
}

/** The header that every request with a key accepts (`keys/profile.ts`). */
const profileParameter = {
  name: profileHeader,
  in: 'header',
  required: false,
  description:
    'Narrows the profile of the API key for this request: `guarded` leaves app stores, wallets, passwords and payment fields to a person with `409 handoff_required`; `read-only` refuses every change with `403 insufficient_scope`. A wider profile than that of the key has no effect.',
  schema: { type: 'string', enum: [...profiles] },
}

function addProfile(document: Json): void {
  for (const operation of operationsOf(document)) {
    const { parameters = [], security } = operation
    // The operations of the setup need no key.
    if (Array.isArray(security) && security.length === 0) continue
    if (Array.isArray(parameters)) operation['parameters'] = parameters.concat({ ...profileParameter })
  }
}

/** Bodies with a default are optional, and `name[key]=value` parameters are deep objects. */
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

/** Descriptions of statuses, for routes without their own descriptions. */
const meanings: Record<string, string> = {
  '200': 'Done.',
  '201': 'Created.',
  '202': 'Accepted, but not finished yet.',
}

type Headers = Record<string, { type: string; description: string }>

const always: Headers = { 'X-Request-Id': { type: 'string', description: "The request's ID." } }
const retryAfter: Headers = {
  'Retry-After': { type: 'integer', description: 'Seconds to wait before sending the request again.' },
}
const location: Headers = { Location: { type: 'string', description: 'The path of the created resource.' } }

/** Headers of successful responses, by operation. */
const ofAnswers: Record<string, Headers> = {
  createPhone: location,
  createUpload: location,
  observe: {
    'X-Snapshot-Id': {
      type: 'string',
      description: 'With `format=text`: the ID of the snapshot, for `snapshot_id` in actions.',
    },
    'X-Settled': {
      type: 'string',
      description:
        'With `format=text`: whether the screen had stopped changing: `true`, `false`, or `null` for unknown.',
    },
  },
  screenshot: {
    'X-Screen-Width': { type: 'integer', description: 'Device pixels.' },
    'X-Screen-Height': { type: 'integer', description: 'Device pixels.' },
    'X-Screen-Scale': { type: 'string', description: 'Image width divided by screen width; six decimals.' },
    'X-Snapshot-Id': {
      type: 'string',
      description: 'With `annotate=true`: the ID of the snapshot whose refs are drawn.',
    },
    'X-Screen-Secure': {
      type: 'string',
      description:
        '`true` when the screen shows a window that forbids screenshots. The window is black in the image. Omitted otherwise.',
    },
  },
  readFile: { 'Content-Disposition': { type: 'string', description: "The file's name." } },
}

const ofErrors: Record<string, Headers> = {
  '401': { 'WWW-Authenticate': { type: 'string', description: '`Bearer`.' } },
  '429': retryAfter,
  '503': retryAfter,
}

/** Only one code of status 409 has a `Retry-After`. */
const headersOfError = (status: string, response: Json): Headers | undefined =>
  String(response['description']).includes('`phone_controlled`') ? retryAfter : ofErrors[status]

/** Headers that schemas do not describe. */
function finishResponses(document: Json): void {
  for (const { operationId, responses } of operationsOf(document)) {
    if (!isObject(responses)) continue
    for (const [status, response] of Object.entries(responses)) {
      if (!isObject(response)) continue
      if (response['description'] === 'Default Response') response['description'] = meanings[status] ?? ''
      const more = Number(status) < 400 ? ofAnswers[String(operationId)] : headersOfError(status, response)
      response['headers'] = Object.fromEntries(
        Object.entries({ ...always, ...more }).map(([name, { type, description }]) => [
          name,
          { description, schema: { type } },
        ]),
      )
    }
  }
}

function describeOperations(document: Json): void {
  for (const operation of operationsOf(document))
    operation['description'] ??= descriptions[String(operation['operationId'])]
}

export function finishDocument<T extends object>(document: T): T {
  const finished = structuredClone(document)
  pruneSchemas(finished as Json)
  finishOperations(finished as Json)
  addProfile(finished as Json)
  finishResponses(finished as Json)
  openValuesOfAnswers(finished as Json)
  addExamples(finished as Json)
  describeOperations(finished as Json)
  describeDefaults(finished as Json)
  nameSchemas(finished as Json)
  return finished
}
