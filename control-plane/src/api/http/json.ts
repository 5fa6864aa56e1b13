/** Strict JSON: UTF-8, an object at the top, and only text that Postgres and the agent can carry. */
import { isStorable, type ApiError } from '@phonerack/shared'
import { validationFailed } from '../../base/validation/validation-error.js'
import { jsonTypeOf, unknownField } from '../../base/validation/issues.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

type Path = (string | number)[]

/** Paths of nested values end at this depth. */
const namedDepth = 16

function* visit(root: unknown): Generator<{ value: unknown; path: Path }> {
  const pending: { value: unknown; path: Path }[] = [{ value: root, path: [] }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield next
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const [key, value] of Object.entries(next.value)) {
      const step = Array.isArray(next.value) ? Number(key) : key
      pending.push({ value, path: next.path.length < namedDepth ? [...next.path, step] : next.path })
    }
  }
}

const notJson = (message: string): ApiError =>
  validationFailed('json', [{ path: [], message, code: 'invalid_json' }])

function decode(bytes: Uint8Array): { text: string; value: unknown } {
  try {
    const text = utf8.decode(bytes)
    return { text, value: JSON.parse(text) as unknown }
  } catch (error) {
    if (error instanceof SyntaxError) throw notJson('is not valid JSON')
    if (error instanceof TypeError) throw notJson('is not valid UTF-8')
    throw error
  }
}

function refuseUnstorable(root: unknown): void {
  for (const { value, path } of visit(root)) {
    const bad =
      typeof value === 'string'
        ? !isStorable(value)
        : typeof value === 'object' && value !== null && !Object.keys(value).every(isStorable)
    if (bad)
      throw validationFailed('json', [
        {
          path,
          message: 'must not contain the NUL character or an unpaired surrogate',
          code: 'invalid_text',
        },
      ])
  }
}

/** Schema libraries silently skip a field called `__proto__`; strict parsing refuses it. */
function refuseProto(root: unknown): void {
  for (const { value, path } of visit(root)) {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
      throw validationFailed('body', [unknownField([...path, '__proto__'])])
  }
}

/** @throws ApiError validation_failed, stage `json` or `body` */
export function parseJson(bytes: Uint8Array): unknown {
  const { text, value } = decode(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw validationFailed('body', [
      {
        path: [],
        message: 'must be an object',
        code: 'invalid_type',
        expected: 'object',
        received: jsonTypeOf(value),
      },
    ])
  // Only bodies that contain an escape or the name itself can hold such text, so other bodies are not searched.
  const escaped = text.includes('\\u')
  if (escaped) refuseUnstorable(value)
  if (escaped || text.includes('__proto__')) refuseProto(value)
  return value
}
