/** Adds the examples to the description: bodies and responses by operation, errors by code. */
import { codesIn } from '../routes/errors.js'
import { errorExamples } from './examples/errors.js'
import { operationExamples } from './examples/index.js'
import { one } from './examples/kinds.js'
import { isObject, operationsOf, type Json } from './json.js'

const prefix = '#/components/examples/'

const mediaOf = (holder: unknown, mediaType: string): Json | null => {
  const content = isObject(holder) && isObject(holder['content']) ? holder['content'] : {}
  const media = content[mediaType]
  return isObject(media) ? media : null
}

const noFields = one('no_fields', 'Equivalent to an empty request', {})

const isEmpty = (schema: unknown): boolean =>
  isObject(schema) && isObject(schema['properties']) && Object.keys(schema['properties']).length === 0

/** A request without a body can only be invalid in its query. */
const nameOf = (code: string, hasBody: boolean): string =>
  code === 'validation_failed' && !hasBody ? 'validation_failed_query' : code

export function addExamples(document: Json): void {
  const used = new Set<string>()
  for (const operation of operationsOf(document)) {
    const own = operationExamples[String(operation['operationId'])]
    const body = mediaOf(operation['requestBody'], 'application/json')
    const bodies = own?.body ?? (body && isEmpty(body['schema']) ? noFields : undefined)
    if (body && bodies) body['examples'] = bodies
    const responses = isObject(operation['responses']) ? operation['responses'] : {}
    for (const [status, response] of Object.entries(responses)) {
      const json = mediaOf(response, 'application/json')
      const text = mediaOf(response, 'text/plain') ?? mediaOf(response, 'text/event-stream')
      if (Number(status) >= 400) {
        const names = codesIn(isObject(response) ? String(response['description']) : '').map((code) =>
          nameOf(code, body !== null),
        )
        for (const name of names) used.add(name)
        if (json) json['examples'] = Object.fromEntries(names.map((name) => [name, { $ref: prefix + name }]))
        continue
      }
      const answers = own?.answers?.[Number(status)]
      if (json && answers) json['examples'] = answers
      if (text && own?.text) text['examples'] = own.text
      for (const [mediaType, examples] of Object.entries(own?.media ?? {})) {
        const media = mediaOf(response, mediaType)
        if (media) media['examples'] = examples
      }
    }
  }
  if (!isObject(document['components'])) return
  document['components']['examples'] = Object.fromEntries(
    [...used].sort().map((name) => [name, errorExamples[name]]),
  )
}
