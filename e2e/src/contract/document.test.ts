/** The contract test detects answers that break the description. */
import { expect, test } from 'vitest'
import type { Answer } from '../system/api.js'
import { Contract } from './document.js'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const contract = new Contract({
  paths: {
    '/v1/things/{id}': {
      get: {
        responses: {
          '200': { description: 'A thing.', ...json({ $ref: '#/components/schemas/Thing' }) },
          '204': { description: 'None.' },
          '404': { description: '`thing_not_found`: No such thing.', ...json({ type: 'object' }) },
        },
      },
    },
  },
  components: {
    schemas: { Thing: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
  },
})

function answer(status: number, body: unknown, type = 'application/json; charset=utf-8'): Answer {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
  return { status, headers: new Headers({ 'content-type': type }), body, bytes }
}

test.each<[string, Answer, RegExp | null]>([
  ['what is described', answer(200, { n: 1 }), null],
  ['an answer without a body', answer(204, undefined), null],
  ['a described error', answer(404, { error: { code: 'thing_not_found' } }), null],
  ['a body of another form', answer(200, { n: 'one' }), /n must be integer/],
  ['another status', answer(418, {}), /418 is not described/],
  ['another code', answer(404, { error: { code: 'phone_not_found' } }), /phone_not_found is not described/],
  ['another media type', answer(200, { n: 1 }, 'text/html'), /text\/html is not described/],
  ['a body where none belongs', answer(204, {}), /has a body/],
  ['an internal error', answer(500, { error: { code: 'internal_error' } }), /internal error/],
])('judges %s', (_name, given, breach) => {
  const [operation] = contract.operations
  if (!operation) throw new Error('no operation')
  const found = contract.breach(operation, given)
  if (breach) expect(found).toMatch(breach)
  else expect(found).toBeNull()
})
