/** Every rule on fields, headers and parameters: one below, at, and one above each bound. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorOf, testApi, type ErrorBody, type TestApi } from '../testing/api.js'

let api: TestApi
let id: string
beforeAll(async () => {
  api = await testApi({ requestsPerKeyPerMinute: 100_000, lifecycleWait: 0.02 })
})
beforeEach(() => {
  id = api.services.phone('ready').id
})
afterAll(() => api.app.close())

const json = { 'content-type': 'application/json' }

const send = (method: string, url: string, body: unknown) =>
  api.request(method, url.replace('{id}', id), { headers: json, payload: JSON.stringify(body) })

const refusal = async (method: string, url: string, body: unknown): Promise<ErrorBody> => {
  const calls = api.services.calls.length
  const error = errorOf(await send(method, url, body), 400, 'validation_failed')
  expect(error.retryable).toBe(false)
  expect(error.details.issues?.length).toBeGreaterThan(0)
  expect(api.services.calls.slice(calls).map(({ name }) => name)).toEqual(['authenticate'])
  return error
}

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))
/** One code point, two UTF-16 units, four bytes. */
const wide = '😀'

describe('create', () => {
  it.each<[string, unknown]>([
    ['nothing', {}],
    ['a name of 1', { name: 'a' }],
    ['a name of 80', { name: 'a'.repeat(80) }],
    ['a name of 80 wide characters', { name: wide.repeat(80) }],
    ['a name of 80 between spaces', { name: ` \t${'a'.repeat(80)} \n` }],
    ['20 pairs', { metadata: pairs(20) }],
    ['a key of 1', { metadata: { a: '' } }],
    ['a key of 40', { metadata: { ['0'.repeat(40)]: 'v' } }],
    ['a key of all kinds', { metadata: { 'aZ0_:-': 'v' } }],
    ['a key like a built-in', { metadata: { constructor: 'v', toString: 'w' } }],
    ['a value of 256 wide characters', { metadata: { a: wide.repeat(256) } }],
    ['idle_timeout 60', { idle_timeout: 60 }],
    ['idle_timeout 3600', { idle_timeout: 3600 }],
    ['max_duration 60', { max_duration: 60 }],
    ['max_duration 10800', { max_duration: 10_800 }],
    ['wait false', { wait: false }],
    ['a country', { country: 'US' }],
  ])('takes %s', async (_name, body) => {
    expect((await send('POST', '/v1/phones', body)).statusCode).toBe(201)
  })

  it.each<[string, unknown, unknown[]]>([
    ['an empty name', { name: '' }, ['name']],
    ['a name of spaces', { name: ' \t ' }, ['name']],
    ['a name of 81', { name: 'a'.repeat(81) }, ['name']],
    ['a name of 81 wide characters', { name: wide.repeat(81) }, ['name']],
    ['a name that is null', { name: null }, ['name']],
    ['a name that is a number', { name: 1 }, ['name']],
    ['a name with NUL', { name: 'a\u0000b' }, ['name']],
    ['a name with half a pair', { name: 'a\ud83d' }, ['name']],
    ['21 pairs', { metadata: pairs(21) }, ['metadata']],
    ['an empty key', { metadata: { '': 'v' } }, ['metadata', '']],
    ['a key of 41', { metadata: { ['k'.repeat(41)]: 'v' } }, ['metadata', 'k'.repeat(41)]],
    ['a key that starts with -', { metadata: { '-a': 'v' } }, ['metadata', '-a']],
    ['a key with a dot', { metadata: { 'a.b': 'v' } }, ['metadata', 'a.b']],
    ['a key with a newline at its end', { metadata: { 'a\n': 'v' } }, ['metadata', 'a\n']],
    ['a value of 257', { metadata: { a: 'v'.repeat(257) } }, ['metadata', 'a']],
    ['a value that is a number', { metadata: { a: 1 } }, ['metadata', 'a']],
    ['metadata that is a list', { metadata: [] }, ['metadata']],
    ['metadata that is null', { metadata: null }, ['metadata']],
    ['idle_timeout 59', { idle_timeout: 59 }, ['idle_timeout']],
    ['idle_timeout 3601', { idle_timeout: 3601 }, ['idle_timeout']],
    ['idle_timeout 60.5', { idle_timeout: 60.5 }, ['idle_timeout']],
    ['idle_timeout as text', { idle_timeout: '300' }, ['idle_timeout']],
    ['max_duration 59', { max_duration: 59 }, ['max_duration']],
    ['max_duration 10801', { max_duration: 10_801 }, ['max_duration']],
    ['wait as text', { wait: 'true' }, ['wait']],
    ['wait null', { wait: null }, ['wait']],
    ['an unknown field', { nmae: 'a' }, ['nmae']],
    ['country as a number', { country: 1 }, ['country']],
  ])('refuses %s', async (_name, body, path) => {
    const { details } = await refusal('POST', '/v1/phones', body)
    expect(details.issues?.map((issue) => issue.path)).toContainEqual(path)
  })

  it('names what is allowed instead of an unknown field', async () => {
    const { details } = await refusal('POST', '/v1/phones', { nmae: 'a' })
    expect(details).toMatchObject({
      validation_stage: 'body',
      issues: [
        {
          path: ['nmae'],
          alternatives: ['name', 'country', 'metadata', 'idle_timeout', 'max_duration', 'wait'],
        },
      ],
    })
  })

  it('tells bounds and types', async () => {
    const { details } = await refusal('POST', '/v1/phones', {
      idle_timeout: 59,
      max_duration: 10_801,
      wait: 1,
    })
    expect(details.issues).toEqual([
      expect.objectContaining({ path: ['idle_timeout'], code: 'too_small', minimum: 60 }),
      expect.objectContaining({ path: ['max_duration'], code: 'too_big', maximum: 10_800 }),
      expect.objectContaining({
        path: ['wait'],
        code: 'invalid_type',
        expected: 'boolean',
        received: 'number',
      }),
    ])
  })

  it('refuses __proto__, spelt plainly or escaped, as any unknown field', async () => {
    for (const payload of [
      '{"__proto__":{"a":1}}',
      '{"metadata":{"__proto__":"x"}}',
      '{"\\u005f_proto__":1}',
    ])
      errorOf(await api.request('POST', '/v1/phones', { headers: json, payload }), 400, 'validation_failed')
  })
})

describe('bodies', () => {
  const post = (payload: string | Buffer, type: string | null = 'application/json') =>
    api.request('POST', '/v1/phones', { headers: type === null ? {} : { 'content-type': type }, payload })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; a=b',
  ])('are taken as %s', async (type) => {
    expect((await post('{}', type)).statusCode).toBe(201)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data; boundary=a',
    'json',
    '',
    'application/json; charset=latin1',
  ])('are refused as %j', async (type) => {
    const { details } = errorOf(await post('{}', type), 400, 'validation_failed')
    expect(details['validation_stage']).toBe('content_type')
  })

  it('are refused without a type', async () => {
    const { details } = errorOf(await post('{}', null), 400, 'validation_failed')
    expect(details['validation_stage']).toBe('content_type')
  })

  it.each(['application/json', 'text/plain', 'nonsense', null])(
    'that are empty are none, whatever the type (%s)',
    async (type) => {
      expect((await post('', type)).statusCode).toBe(201)
    },
  )

  it.each([
    '{',
    '{"name":}',
    "{'a':1}",
    '{} {}',
    'undefined',
    '{"a":1,}',
    ' ',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
  ])('that are no JSON are refused: %s', async (payload) => {
    const { details } = errorOf(await post(payload), 400, 'validation_failed')
    expect(details['validation_stage']).toBe('json')
  })

  it.each(['null', '[]', '1', '"a"', 'true'])('that are no object are refused: %s', async (payload) => {
    const { details } = errorOf(await post(payload), 400, 'validation_failed')
    expect(details['validation_stage']).toBe('body')
  })

  it.each([
    ['PATCH', '/v1/phones/{id}', 200],
    ['POST', '/v1/phones/{id}/start', 200],
    ['POST', '/v1/phones/{id}/heartbeat', 200],
    ['DELETE', '/v1/phones/{id}', 200],
  ])('may be left out or {}: %s %s', async (method, url, status) => {
    const key = api.services.key('admin')
    const path = url.replace('{id}', id)
    expect((await api.request(method, path, { key })).statusCode).toBe(status)
    api.services.move(id, { status: 'ready' })
    expect((await api.request(method, path, { key, headers: json, payload: '{}' })).statusCode).toBe(status)
    errorOf(
      await api.request(method, path, { key, headers: json, payload: '{"x":1}' }),
      400,
      'validation_failed',
    )
  })

  it('are required for actions', async () => {
    const { details } = errorOf(
      await api.request('POST', `/v1/phones/${id}/actions`),
      400,
      'validation_failed',
    )
    expect(details).toMatchObject({
      validation_stage: 'body',
      issues: [{ path: [], message: 'is required' }],
    })
  })

  it('nested deeply neither crash nor stall the server', async () => {
    const began = performance.now()
    for (const inner of ['', '\\u0000', '__proto__'])
      errorOf(
        await post(`{"metadata":${'['.repeat(49_000)}"${inner}"${']'.repeat(49_000)}}`),
        400,
        'validation_failed',
      )
    expect(performance.now() - began).toBeLessThan(2000)
  })
})

describe('Idempotency-Key', () => {
  const posts = ['/v1/phones', '/v1/phones/{id}/start', '/v1/phones/{id}/park', '/v1/phones/{id}/heartbeat']
  it.each(posts)('is checked on POST %s', async (url) => {
    const post = (key: string) =>
      api.request('POST', url.replace('{id}', id), { headers: { 'idempotency-key': key } })
    for (const key of [
      '',
      'a'.repeat(7),
      'a'.repeat(129),
      '-'.repeat(8),
      '_abcdefgh',
      'abcd efgh',
      'abcdefgé',
      'abcdefgh,ijklmnop',
    ]) {
      const { details } = errorOf(await post(key), 400, 'validation_failed')
      expect(details).toMatchObject({ validation_stage: 'headers', issues: [{ path: ['idempotency-key'] }] })
    }
    for (const key of ['a'.repeat(8), '0'.repeat(128), 'aZ0_.:-x']) {
      api.services.move(id, { status: 'ready' })
      expect((await post(key)).statusCode).toBeLessThan(300)
    }
  })

  it('is not looked at on other methods', async () => {
    expect(
      (await api.request('GET', '/v1/account', { headers: { 'idempotency-key': '!' } })).statusCode,
    ).toBe(200)
  })
})

describe('query parameters', () => {
  const phone = '/v1/phones/{id}'
  it.each([
    ['/v1/phones', 'limit=1'],
    ['/v1/phones', 'limit=100'],
    ['/v1/phones', 'status=failed'],
    ['/v1/phones', 'metadata[a]=b'],
    ['/v1/phones', 'metadata%5Ba%5D=%F0%9F%98%80'],
    ['/v1/phones', 'metadata[a]='],
    ['/v1/phones', 'unknown=1&unknown=2&limit=5'],
    [phone, 'wait=ready&timeout=1'],
    [phone, 'wait=ready&timeout=55'],
    [`${phone}/sessions`, 'limit=100&cursor=abc'],
    [`${phone}/observe`, 'screenshot=png&max_width=160&format=json'],
    [`${phone}/observe`, 'screenshot=none&max_width=2000&format=text'],
    [`${phone}/screenshot`, 'format=png'],
    [`${phone}/screenshot`, 'format=jpeg&quality=30&max_width=160'],
    [`${phone}/screenshot`, 'format=jpeg&quality=95&max_width=2000'],
    [`${phone}/screenshot`, 'format=png&quality=50'],
  ])('%s?%s is taken', async (url, query) => {
    expect((await api.request('GET', `${url.replace('{id}', id)}?${query}`)).statusCode).toBe(200)
  })

  it.each([
    ['/v1/phones', 'limit=0', 'limit'],
    ['/v1/phones', 'limit=101', 'limit'],
    ['/v1/phones', 'limit=1.5', 'limit'],
    ['/v1/phones', 'limit=', 'limit'],
    ['/v1/phones', 'limit=+5', 'limit'],
    ['/v1/phones', 'limit=1e1', 'limit'],
    ['/v1/phones', 'limit=0x10', 'limit'],
    ['/v1/phones', 'limit=99999999999999999999', 'limit'],
    ['/v1/phones', 'limit=5&limit=5', 'limit'],
    ['/v1/phones', 'cursor=a&cursor=b', 'cursor'],
    ['/v1/phones', 'cursor=a%00', 'cursor'],
    ['/v1/phones', 'status=running', 'status'],
    ['/v1/phones', 'status=Ready', 'status'],
    ['/v1/phones', 'status=', 'status'],
    ['/v1/phones', 'status=ready&status=parked', 'status'],
    ['/v1/phones', 'metadata[a]=b&metadata[c]=d', 'metadata'],
    ['/v1/phones', 'metadata[a]=b&metadata[a]=b', 'metadata'],
    ['/v1/phones', 'metadata[]=b', 'metadata'],
    ['/v1/phones', 'metadata[-a]=b', 'metadata'],
    ['/v1/phones', 'metadata[a.b]=c', 'metadata'],
    ['/v1/phones', 'metadata[a][b]=c', 'metadata'],
    ['/v1/phones', `metadata[${'k'.repeat(41)}]=c`, 'metadata'],
    ['/v1/phones', 'metadata[a=b', 'metadata'],
    ['/v1/phones', 'metadata=b', 'metadata'],
    ['/v1/phones', 'metadata[__proto__]=b', 'metadata'],
    ['/v1/phones', 'metadata[a]=%00', 'metadata'],
    [phone, 'wait=started', 'wait'],
    [phone, 'wait=ready&wait=ready', 'wait'],
    [phone, 'wait=ready&timeout=0', 'timeout'],
    [phone, 'wait=ready&timeout=56', 'timeout'],
    [phone, 'timeout=5', 'timeout'],
    [`${phone}/sessions`, 'limit=0', 'limit'],
    [`${phone}/sessions`, 'limit=101', 'limit'],
    [`${phone}/sessions`, 'cursor=a&cursor=a', 'cursor'],
    [`${phone}/observe`, 'screenshot=gif', 'screenshot'],
    [`${phone}/observe`, 'max_width=159', 'max_width'],
    [`${phone}/observe`, 'max_width=2001', 'max_width'],
    [`${phone}/observe`, 'format=xml', 'format'],
    [`${phone}/observe`, 'format=text&format=text', 'format'],
    [`${phone}/screenshot`, 'format=webp', 'format'],
    [`${phone}/screenshot`, 'quality=29', 'quality'],
    [`${phone}/screenshot`, 'quality=96', 'quality'],
    [`${phone}/screenshot`, 'max_width=159', 'max_width'],
    [`${phone}/screenshot`, 'max_width=2001', 'max_width'],
  ])('%s?%s is refused', async (url, query, name) => {
    const response = await api.request('GET', `${url.replace('{id}', id)}?${query}`)
    const { details } = errorOf(response, 400, 'validation_failed')
    expect(details['validation_stage']).toBe('query')
    expect(details.issues?.map(({ path }) => path[0])).toContain(name)
  })
})

describe('actions', () => {
  const batch = (actions: unknown, more = {}) => ({ actions, ...more })
  const back = { type: 'back' }

  it.each<[string, unknown]>([
    ['1 action', batch([back])],
    ['20 actions', batch(Array.from({ length: 20 }, () => back))],
    [
      '60,000 ms of waits',
      batch([
        { type: 'wait', ms: 50_000 },
        { type: 'wait_for', target: { text: 'a' } },
      ]),
    ],
    [
      'every target',
      batch([
        { type: 'tap', target: { ref: 1, snapshot_id: 'snp_aaaaaaaaaaaa' } },
        { type: 'tap', target: { text: 'a', nth: 0 } },
        { type: 'tap', target: { id: 'a' } },
        { type: 'tap', target: { desc: 'a' } },
        { type: 'tap', target: { x: 1, y: 2 } },
      ]),
    ],
    ['observe none', batch([back], { observe: 'none' })],
    [
      'text that cannot be mistaken for a field',
      batch([{ type: 'type', text: '__proto__ \u00e9 \u{1F600}' }]),
    ],
  ])('take %s', async (_name, body) => {
    expect((await send('POST', '/v1/phones/{id}/actions', body)).statusCode).toBe(200)
  })

  it.each<[string, unknown, unknown[]]>([
    ['no actions', {}, ['actions']],
    ['0 actions', batch([]), ['actions']],
    ['21 actions', batch(Array.from({ length: 21 }, () => back)), ['actions']],
    [
      '60,001 ms of waits',
      batch([
        { type: 'wait', ms: 50_001 },
        { type: 'wait_for', target: { text: 'a' } },
      ]),
      ['actions'],
    ],
    ['an action that is text', batch(['back']), ['actions', 0]],
    ['an action without a type', batch([{}]), ['actions', 0, 'type']],
    ['a field that another action has', batch([back, { type: 'back', text: 'a' }]), ['actions', 1, 'text']],
    ['a value out of range', batch([{ type: 'wait', ms: 0 }]), ['actions', 0, 'ms']],
    ['a missing target', batch([{ type: 'tap' }]), ['actions', 0, 'target']],
    [
      'a ref without its snapshot',
      batch([{ type: 'tap', target: { ref: 1 } }]),
      ['actions', 0, 'target', 'snapshot_id'],
    ],
    ['an unknown observe', batch([back], { observe: 'all' }), ['observe']],
    ['an unknown field', batch([back], { wait: true }), ['wait']],
  ])('refuse %s', async (_name, body, path) => {
    const { details } = await refusal('POST', '/v1/phones/{id}/actions', body)
    expect(details.issues?.map((issue) => issue.path)).toContainEqual(path)
  })

  it('name the types there are instead of an unknown one', async () => {
    const { details } = await refusal('POST', '/v1/phones/{id}/actions', batch([{ type: 'tapp' }]))
    const [issue] = details.issues ?? []
    expect(issue?.path).toEqual(['actions', 0, 'type'])
    expect(issue?.alternatives).toEqual(expect.arrayContaining(['tap', 'wait_for', 'open_url']))
    expect(issue?.alternatives).toHaveLength(21)
  })

  it('name the fields there are instead of an unknown one', async () => {
    const { details } = await refusal(
      'POST',
      '/v1/phones/{id}/actions',
      batch([{ type: 'wait', ms: 1, seconds: 1 }]),
    )
    expect(details.issues).toEqual([
      expect.objectContaining({ path: ['actions', 0, 'seconds'], alternatives: ['type', 'ms'] }),
    ])
  })

  it('name the forms of a target', async () => {
    const { details } = await refusal(
      'POST',
      '/v1/phones/{id}/actions',
      batch([{ type: 'tap', target: { foo: 1 } }]),
    )
    expect(details.issues).toEqual([
      expect.objectContaining({
        path: ['actions', 0, 'target'],
        alternatives: ['ref + snapshot_id', 'text', 'id', 'desc', 'x + y'],
      }),
    ])
  })

  it('refuse two forms in one target', async () => {
    const { details } = await refusal(
      'POST',
      '/v1/phones/{id}/actions',
      batch([{ type: 'tap', target: { text: 'a', x: 1, y: 1 } }]),
    )
    expect(details.issues?.length).toBeGreaterThan(0)
  })
})
