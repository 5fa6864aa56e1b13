/** Helpers for reading an untyped description, used by the steps of `finish.ts`. */

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function* objectsIn(value: unknown): Generator<Json> {
  if (Array.isArray(value)) for (const item of value) yield* objectsIn(item)
  else if (isObject(value)) {
    yield value
    for (const item of Object.values(value)) yield* objectsIn(item)
  }
}

/** The operations of all paths. */
export function* operationsOf(document: Json): Generator<Json> {
  for (const methods of Object.values(isObject(document['paths']) ? document['paths'] : {}))
    for (const operation of Object.values(isObject(methods) ? methods : {}))
      if (isObject(operation)) yield operation
}
