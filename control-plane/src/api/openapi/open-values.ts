/**
 * Response values may be added later, so the description names the values without closing the list: a generated client
 * must not fail on a new value. Requests keep closed lists. A final step of `finish.ts`.
 */
type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
const refPrefix = '#/components/schemas/'

/**
 * Turns value lists that only responses refer to into `x-extensible-enum`. A list with a single value is a constant and
 * stays.
 */
export function openValuesOfAnswers(document: Json): void {
  const { paths, components } = document
  const schemas = isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
  const operations = Object.values(isObject(paths) ? paths : {}).flatMap((methods) =>
    Object.values(isObject(methods) ? methods : {}).filter(isObject),
  )
  const asked = new Set<Json>()
  for (const { parameters, requestBody } of operations)
    for (const each of [parameters, requestBody]) visit(each, schemas, asked)
  const answered = new Set<Json>()
  for (const { responses } of operations) visit(responses, schemas, answered)
  for (const schema of answered) {
    const { enum: values } = schema
    if (asked.has(schema) || !Array.isArray(values) || values.length < 2) continue
    delete schema['enum']
    schema['x-extensible-enum'] = values
  }
}

/** Collects every object that `value` refers to, including through references. */
function visit(value: unknown, schemas: Json, seen: Set<Json>): void {
  if (!isObject(value) || seen.has(value)) return
  seen.add(value)
  const { $ref } = value
  if (typeof $ref === 'string' && $ref.startsWith(refPrefix))
    visit(schemas[$ref.slice(refPrefix.length)], schemas, seen)
  for (const inner of Object.values(value)) visit(inner, schemas, seen)
}
