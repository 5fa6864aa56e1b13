/** The fields of a create: one below, at, and one above each bound. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorOf, refusalOf, sendJson, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ devices: 4 })
})
afterAll(() => api.close())

const json = { 'content-type': 'application/json' }

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
    ['on_idle park', { on_idle: 'park' }],
    ['on_idle delete', { on_idle: 'delete' }],
  ])('accepts %s [6.1, 20.14]', async (_name, body) => {
    const created = await sendJson(api, 'POST', '/v1/phones', body)
    expect(created.statusCode).toBe((body as { wait?: false }).wait === false ? 202 : 201)
    await api.endPhones()
  })

  it.each<[string, unknown, unknown[]]>([
    ['an empty name', { name: '' }, ['name']],
    ['another on_idle', { on_idle: 'stop' }, ['on_idle']],
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
  ])('refuses %s [6.2, 20.15, 23.1]', async (_name, body, path) => {
    const { details } = await refusalOf(api, 'POST', '/v1/phones', body)
    expect(details.issues?.map((issue) => issue.path)).toContainEqual(path)
  })

  it('lists the fields for an unknown one [22.5]', async () => {
    const { details } = await refusalOf(api, 'POST', '/v1/phones', { nmae: 'a' })
    expect(details).toMatchObject({
      validation_stage: 'body',
      issues: [
        {
          path: ['nmae'],
          alternatives: ['name', 'country', 'metadata', 'on_idle', 'idle_timeout', 'max_duration', 'wait'],
        },
      ],
    })
  })

  it('reports bounds and types [22.4]', async () => {
    const { details } = await refusalOf(api, 'POST', '/v1/phones', {
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

  it('refuses __proto__, plain or escaped, like any unknown field', async () => {
    for (const payload of [
      '{"__proto__":{"a":1}}',
      '{"metadata":{"__proto__":"x"}}',
      '{"\\u005f_proto__":1}',
    ])
      errorOf(await api.request('POST', '/v1/phones', { headers: json, payload }), 400, 'validation_failed')
  })
})
