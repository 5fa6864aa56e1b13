/**
 * Gives each body, each response and each form of a union a named schema, so that generated clients
 * have types to import: `CreatePhoneBody`, `GetLocaleAnswer`, `TapAction`, `TextTarget`. A final
 * step of `finish.ts`.
 */
import { isObject, objectsIn, operationsOf, type Json } from './json.js'

const prefix = '#/components/schemas/'
const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** True for exactly `{}`, the body of requests without fields. */
const isEmpty = (schema: Json): boolean =>
  schema['type'] === 'object' &&
  isObject(schema['properties']) &&
  Object.keys(schema['properties']).length === 0

export function nameSchemas(document: Json): void {
  const { components } = document
  if (!isObject(components) || !isObject(components['schemas'])) return
  const schemas = components['schemas']
  const put = (name: string, schema: Json): Json => {
    schemas[name] ??= schema
    return { $ref: prefix + name }
  }
  const nameIn = (media: unknown, name: string): void => {
    if (!isObject(media) || !isObject(media['schema']) || media['schema']['$ref'] !== undefined) return
    const { schema } = media
    if (isObject(schema)) media['schema'] = put(isEmpty(schema) ? 'NoFields' : name, schema)
  }
  for (const { operationId, requestBody, responses } of operationsOf(document)) {
    const name = capitalised(String(operationId))
    nameIn(jsonOf(requestBody), `${name}Body`)
    for (const [status, response] of Object.entries(isObject(responses) ? responses : {}))
      if (Number(status) < 400) nameIn(jsonOf(response), `${name}Answer`)
  }
  nameForms(schemas, 'Action', (form) => constantOf(form, 'type'), put)
  nameForms(schemas, 'Target', formName, put)
}

function jsonOf(holder: unknown): unknown {
  const content = isObject(holder) && isObject(holder['content']) ? holder['content'] : {}
  return content['application/json']
}

const propertiesOf = (schema: Json): Json => (isObject(schema['properties']) ? schema['properties'] : {})

function constantOf(schema: Json, property: string): string | null {
  const field = propertiesOf(schema)[property]
  return isObject(field) && typeof field['const'] === 'string' ? field['const'] : null
}

/** A form is named by its first key: `ref`, `text`, `id`, `desc`. A form with coordinates is a point. */
const formName = (schema: Json): string | null => {
  const [first] = Object.keys(propertiesOf(schema))
  return first === 'x' ? 'point' : (first ?? null)
}

function nameForms(
  schemas: Json,
  union: string,
  nameOf: (form: Json) => string | null,
  put: (name: string, schema: Json) => Json,
): void {
  const schema = schemas[union]
  if (!isObject(schema)) return
  for (const kind of ['oneOf', 'anyOf']) {
    const forms = schema[kind]
    if (!Array.isArray(forms)) continue
    const mapping: Record<string, string> = {}
    schema[kind] = forms.map((form: unknown) => {
      const word = isObject(form) ? nameOf(form) : null
      if (word === null || !isObject(form)) return form
      const name = word.split('_').map(capitalised).join('') + union
      if (constantOf(form, 'type') !== null) mapping[word] = prefix + name
      return put(name, form)
    })
    if (Object.keys(mapping).length > 0) schema['discriminator'] = { propertyName: 'type', mapping }
  }
}

/**
 * Describes defaults of bodies in words. Generators treat a field with `default` as always present, and then require it
 * in requests.
 */
export function describeDefaults(document: Json): void {
  const { components } = document
  const schemas = isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
  const pending: unknown[] = [...operationsOf(document)].map(({ requestBody }) => requestBody ?? null)
  const seen = new Set<Json>()
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const each of objectsIn(next)) {
      if (seen.has(each)) continue
      seen.add(each)
      const { $ref, properties } = each
      if (typeof $ref === 'string' && $ref.startsWith(prefix))
        pending.push(schemas[$ref.slice(prefix.length)])
      if (isObject(properties))
        for (const field of Object.values(properties)) if (isObject(field)) sayDefault(field)
    }
}

function sayDefault(field: Json): void {
  if (!Object.hasOwn(field, 'default')) return
  const { default: value, description } = field
  delete field['default']
  if (value !== null && typeof value === 'object') return
  const said = `\`${JSON.stringify(value)}\` if omitted.`
  field['description'] = typeof description === 'string' ? `${description} ${said}` : capitalised(said)
}
