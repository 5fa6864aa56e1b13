/** The classes of failed actions. The Python SDK has the same test, over the same table. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, expectTypeOf, it } from 'vitest'
import { actionErrorOf } from './action-errors.js'
import * as sdk from './index.js'

interface Row {
  code: string
  type: string
  /** Names of the error class and its ancestors, the most exact one first. */
  classes: string[]
  is_outcome_unknown: boolean
}

const table = path.join(import.meta.dirname, '../../contract/action-errors.json')
const rows = JSON.parse(await readFile(table, 'utf8')) as Row[]

type ErrorClass = new (...args: never[]) => Error
const exported = Object.entries<unknown>(sdk).filter(
  (entry): entry is [string, ErrorClass] => typeof entry[1] === 'function' && entry[0].endsWith('Error'),
)

const failed = (error: object) => {
  const result = { index: 1, type: 'tap', ok: false, ms: 3, error: error as never }
  const raw = { results: [{ index: 0, type: 'home', ok: true, ms: 1 }, result], completed: 1 }
  return actionErrorOf(result, { observation: null, raw, requestId: 'req_aaaaaaaaaaaa' })
}

it.each(rows)('gives $code the class $classes.0', ({ code, type, classes, is_outcome_unknown }) => {
  const error = failed({ code, message: 'It failed.', retryable: false, next: 'Observe.', details: { a: 1 } })
  expect(error.name).toBe(classes[0])
  const is = exported.filter(([, Class]) => error instanceof Class).map(([name]) => name)
  expect(is.toSorted()).toEqual(classes.toSorted())
  expect(error).toMatchObject({
    code,
    type,
    index: 1,
    completed: 1,
    status: null,
    requestId: 'req_aaaaaaaaaaaa',
    next: 'Observe.',
    details: { a: 1 },
    isOutcomeUnknown: is_outcome_unknown,
  })
})

it('has a code for each class of actions', () => {
  const ofActions = exported.filter(([, Class]) => Class.prototype instanceof sdk.ActionError)
  const named = new Set(rows.flatMap(({ classes }) => classes))
  expect(ofActions.map(([name]) => name).filter((name) => !named.has(name))).toEqual([])
  expect(ofActions).toHaveLength(9)
})

it('has a line in the README for each code with its class', async () => {
  const readme = await readFile(path.join(import.meta.dirname, '../README.md'), 'utf8')
  for (const { code, classes } of rows.filter((row) => row.code !== 'a_code_of_a_later_release')) {
    const lines = readme.split('\n').filter((line) => line.startsWith(`| \`${classes[0]}\``))
    expect(lines.join('\n'), code).toContain(`\`${code}\``)
  }
})

it('gives a failed action without fields defaults, and prefers the type of the API', () => {
  expect(failed({})).toMatchObject({ name: 'ActionError', code: 'unknown', type: 'invalid_request_error' })
  expect(failed({ code: 'wait_timeout', type: 'new_error' })).toMatchObject({ type: 'new_error' })
})

it('keeps the other classes apart for TypeScript', () => {
  const rest = (error: sdk.ActionError) => (error instanceof sdk.TargetError ? null : error)
  expectTypeOf(rest).returns.toEqualTypeOf<sdk.ActionError | null>()
})
