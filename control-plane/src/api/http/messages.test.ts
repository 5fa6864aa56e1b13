/** Messages about invalid requests name the invalid value and never quote a library. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../testing/endpoints.js'
import { changeProject } from '../../testing/operator.js'
import { errorOf, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let key: string
beforeAll(async () => {
  api = await startApi()
  key = await api.keyOf('admin')
  // A create that happens to be valid must not use a device.
  await changeProject(api.plane.app.core, api.tenant.projectId, { frozen: true })
})
afterAll(() => api.close())

interface Said {
  path: (string | number)[]
  message: string
  [field: string]: unknown
}

async function refusal(
  method: string,
  url: string,
  payload?: unknown,
): Promise<{ message: string; issues: Said[] }> {
  const response = await api.request(method, url, {
    key,
    ...(payload === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(payload) }),
  })
  const { message, details } = errorOf(response, 400, 'validation_failed')
  return { message, issues: details['issues'] as Said[] }
}

/** Texts of the schema library. */
const foreign =
  /too (?:small|big)|invalid (?:input|string|option|type|key|element|value|format)|unrecognized|expected .*(?:received|to be)|safe integer|\bNaN\b/i

const phone = '/v1/phones/ph_aaaaaaaaaaaa'
const rows: [string, string, unknown, string][] = [
  [
    'a number below its range',
    '/v1/phones',
    { idle_timeout: 59 },
    '`idle_timeout` must be between 60 and 3600 seconds.',
  ],
  [
    'a number above its range',
    '/v1/phones',
    { max_duration: 10801 },
    '`max_duration` must be between 60 and 10800 seconds.',
  ],
  [
    'a number beyond all integers',
    '/v1/phones',
    { max_duration: 1e300 },
    '`max_duration` must be between 60 and 10800 seconds.',
  ],
  [
    'a fraction',
    '/v1/phones',
    { idle_timeout: 60.5 },
    '`idle_timeout` must be a whole number between 60 and 3600 seconds.',
  ],
  [
    'another type',
    '/v1/phones',
    { idle_timeout: '60' },
    '`idle_timeout` must be a whole number, not a string.',
  ],
  ['null', '/v1/phones', { name: null }, '`name` must be a string, not null.'],
  ['an unknown field', '/v1/phones', { nmae: 'a' }, '`nmae` is not a known field.'],
  ['an empty list', `${phone}/actions`, { actions: [] }, '`actions` must have between 1 and 20 entries.'],
  ['a missing field', `${phone}/actions`, {}, '`actions` is required.'],
  [
    'a field inside a list',
    `${phone}/actions`,
    { actions: [{ type: 'wait', ms: 0 }] },
    '`actions[0].ms` must be between 1 and 60000 milliseconds.',
  ],
  [
    'a wrong word',
    `${phone}/actions`,
    { actions: [{ type: 'scroll', direction: 'in' }] },
    '`actions[0].direction` must be one of `up`, `down`, `left`, `right`.',
  ],
  ['two sources', `${phone}/apps`, {}, 'The request body must have exactly one of `package` and `upload`.'],
]

describe('the message', () => {
  it.each(rows)('names %s, the field and what is allowed', async (_, url, body, message) => {
    expect((await refusal('POST', url, body)).message).toBe(message)
  })

  it('reports the number of further issues', async () => {
    const { message, issues } = await refusal('POST', '/v1/phones', { idle_timeout: 1, max_duration: 1 })
    expect(issues).toHaveLength(2)
    expect(message).toBe('`idle_timeout` must be between 60 and 3600 seconds. 1 more in `details.issues`.')
  })

  it('names the range of a query parameter with too many digits', async () => {
    const { message, issues } = await refusal('GET', '/v1/phones?limit=99999999999999999999')
    expect(message).toBe('`limit` must be between 1 and 100.')
    expect(issues).toMatchObject([{ path: ['limit'], minimum: 1, maximum: 100 }])
  })

  it('does not report a parameter with NUL, or given twice, as missing', async () => {
    const nul = await refusal('GET', `${phone}/files?path=%2Fsdcard%2Fa%00b`)
    expect(nul.message).toBe('`path` must not contain the NUL character.')
    const twice = await refusal('GET', `${phone}/files/content?path=/sdcard/a&path=/sdcard/b`)
    expect(twice.message).toBe('`path` must be given at most once.')
  })

  it('has a range as numbers too', async () => {
    const { issues } = await refusal('POST', '/v1/phones', { idle_timeout: 1e300 })
    expect(issues).toEqual([
      expect.objectContaining({ path: ['idle_timeout'], code: 'too_big', minimum: 60, maximum: 3600 }),
    ])
  })
})

describe('a text of the schema library', () => {
  const withBody = endpoints.filter(({ method }) => method !== 'GET' && method !== 'DELETE')
  const odd = fc.oneof(
    fc.constantFrom(null, true, '', 'x', -1, 0, 0.5, 1e21, 1e308, [], {}, [null], { a: 1 }),
    fc.string({ minLength: 0, maxLength: 12 }),
    fc.integer(),
  )
  const fields = [
    'name',
    'country',
    'metadata',
    'idle_timeout',
    'max_duration',
    'wait',
    'actions',
    'observe',
    'package',
    'upload',
    'replace',
    'text',
    'lat',
    'lng',
    'locale',
    'timezone',
    'expires_in',
    'amount_usd',
    'client',
    'setup_token',
    'storage_id',
    'message',
    'control',
    'timezone_from_location',
    'unknown',
  ]
  const action = fc.record(
    {
      type: fc.constantFrom(
        'tap',
        'type',
        'wait',
        'wait_for',
        'swipe',
        'scroll',
        'open_url',
        'open_app',
        'key',
        'pinch',
        'nothing',
      ),
      target: fc.oneof(
        odd,
        fc.record({ text: odd, nth: odd }),
        fc.record({ ref: odd, snapshot_id: odd }),
        fc.record({ x: odd, y: odd }),
      ),
      from: odd,
      to: odd,
      text: odd,
      ms: odd,
      duration_ms: odd,
      scale: odd,
      direction: odd,
      key: odd,
      url: odd,
      activity: odd,
      package: odd,
    },
    { requiredKeys: ['type'] },
  )
  const body = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...fields), odd, { maxKeys: 4 }),
      fc.option(fc.array(action, { maxLength: 2 })),
    )
    .map(([given, actions]) => (actions === null ? given : { ...given, actions }))

  it('never reaches a client, for any request', async () => {
    let seen = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withBody), body, async ({ method, path }, payload) => {
        const url = path
          .replace('{id}', path.includes('uploads') ? 'upl_aaaaaaaaaaaa' : 'ph_aaaaaaaaaaaa')
          .replace('{rid}', 'rec_aaaaaaaaaaaa')
        const response = await api.request(method, url, {
          key,
          headers: { 'content-type': 'application/json' },
          payload: JSON.stringify(payload),
        })
        // 503 without payments.
        expect(response.statusCode).not.toBe(500)
        if (response.statusCode !== 400) return
        const { error } = response.json<{ error: { message: string; details: { issues?: Said[] } } }>()
        seen += 1
        expect(error.message).toMatch(/^[A-Z`].*\.$/s)
        for (const text of [error.message, ...(error.details.issues ?? []).map(({ message }) => message)]) {
          expect(text).not.toBe('')
          expect(text).not.toMatch(foreign)
        }
      }),
      { numRuns: 400 },
    )
    expect(seen).toBeGreaterThan(100)
  })
})
