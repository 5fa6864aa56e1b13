/** Arbitrary requests never cause a 5xx, and every error has the envelope. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionTypes } from '@phonerack/shared'
import { errorSchema } from './schemas.js'
import { expectConventions, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let admin: string
let id: string
beforeAll(async () => {
  // One phone at a time: a create that happens to be valid is refused by the limit.
  api = await startApi({ devices: 1, tenant: { maxPhones: 1 } })
  admin = await api.keyOf('admin')
  id = await api.readyPhone()
})
afterAll(() => api.close())

/** Requests that happen to be valid park and delete the phone. */
async function makeReady(): Promise<void> {
  const { db } = api.plane.app.core
  const { status } = await db.phone.findUniqueOrThrow({ where: { id } })
  if (status === 'ready') return
  await api.endPhones()
  id = await api.readyPhone()
}

async function expectOurs(
  method: string,
  url: string,
  headers: Record<string, string>,
  payload?: string | Buffer,
) {
  await makeReady()
  const response = await api.request(method, url, {
    key: admin,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
  expect(response.statusCode, response.body).toBeLessThan(500)
  expectConventions(response)
  if (response.statusCode < 400) return
  const body = errorSchema.strict().parse(response.json())
  expect(body.error.request_id).toBe(response.headers['x-request-id'])
  if (body.error.code === 'validation_failed') {
    expect(body.error.details['validation_stage']).toEqual(expect.any(String))
    expect(body.error.details['issues']).not.toEqual([])
  }
}

const writes = fc.constantFrom<[string, string]>(
  ['POST', '/v1/phones'],
  ['PATCH', '/v1/phones/{id}'],
  ['DELETE', '/v1/phones/{id}'],
  ['POST', '/v1/phones/{id}/start'],
  ['POST', '/v1/phones/{id}/park'],
  ['POST', '/v1/phones/{id}/heartbeat'],
  ['POST', '/v1/phones/{id}/actions'],
)
const reads = fc.constantFrom(
  '/v1/phones',
  '/v1/phones/{id}',
  '/v1/phones/{id}/sessions',
  '/v1/phones/{id}/observe',
  '/v1/phones/{id}/screenshot',
  '/v1/account',
)

/** Nearly valid values, so that deep rules are reached. */
const fieldName = fc.constantFrom(
  'name',
  'metadata',
  'idle_timeout',
  'max_duration',
  'wait',
  'country',
  'actions',
  'observe',
  'type',
  'target',
  'text',
  'ms',
  'ref',
  'snapshot_id',
  'x',
  'y',
  'constructor',
  '__proto__',
  'toString',
)
const leaf = fc.oneof(
  fc.constantFrom(0, 1, 60, 300, 1e308, -1, 0.5, true, null, '', 'ui', 'none', 'snp_aaaaaaaaaaaa'),
  fc.constantFrom(...actionTypes),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(fieldName, fc.string({ maxLength: 5 })), tie('tree')), { maxLength: 5 })
      .map((pairs) => Object.fromEntries(pairs) as unknown),
  ),
}))

describe('robustness', () => {
  it('with random JSON bodies', async () => {
    await fc.assert(
      fc.asyncProperty(writes, fc.oneof(tree, fc.jsonValue()), ([method, url], body) =>
        expectOurs(
          method,
          url.replace('{id}', id),
          { 'content-type': 'application/json' },
          JSON.stringify(body),
        ),
      ),
      { numRuns: 120 },
    )
  })

  it('with random action batches', async () => {
    const action = fc.record(
      {
        type: fc.constantFrom(...actionTypes),
        target: tree,
        text: leaf,
        ms: leaf,
        from: tree,
        to: tree,
        package: leaf,
        url: leaf,
      },
      { requiredKeys: ['type'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 4 }), leaf, (actions, observe) =>
        expectOurs(
          'POST',
          `/v1/phones/${id}/actions`,
          { 'content-type': 'application/json' },
          JSON.stringify({ actions, observe }),
        ),
      ),
      { numRuns: 80 },
    )
  })

  it('with random bytes and content types', async () => {
    const type = fc.oneof(
      fc.constantFrom('application/json', 'text/plain', 'application/json; charset=x', ';', ''),
      fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
    )
    await fc.assert(
      fc.asyncProperty(writes, type, fc.uint8Array({ maxLength: 60 }), ([method, url], contentType, bytes) =>
        expectOurs(method, url.replace('{id}', id), { 'content-type': contentType }, Buffer.from(bytes)),
      ),
      { numRuns: 80 },
    )
  })

  it('with random queries, headers and IDs', async () => {
    const name = fc.oneof(
      fc.constantFrom(
        'limit',
        'cursor',
        'status',
        'wait',
        'timeout',
        'format',
        'metadata',
        'metadata[a]',
        'metadata[',
        '__proto__',
        'metadata[__proto__]',
      ),
      fc.string({ maxLength: 6 }),
    )
    const value = fc.oneof(
      fc.constantFrom('1', 'ready', 'png', 'text', '%', '%zz', '%00', '%ff', ''),
      fc.string({ unit: 'binary', maxLength: 8 }).map(encodeSafely),
    )
    const query = fc
      .array(fc.tuple(name, value), { maxLength: 4 })
      .map((pairs) => pairs.map(([key, text]) => `${encodeSafely(key)}=${text}`).join('&'))
    const someId = fc.oneof(
      fc.constant(() => id),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => () => encodeSafely(text)),
    )
    await fc.assert(
      fc.asyncProperty(reads, query, someId, (url, text, chosen) =>
        expectOurs('GET', `${url.replace('{id}', chosen())}?${text.replace(/wait=ready/g, 'wait=x')}`, {}),
      ),
      { numRuns: 120 },
    )
  })
})

/** Percent-encoding that never throws: text that cannot be encoded becomes a single percent sign. */
function encodeSafely(text: string): string {
  return /\p{Surrogate}/u.test(text) ? '%' : encodeURIComponent(text)
}
