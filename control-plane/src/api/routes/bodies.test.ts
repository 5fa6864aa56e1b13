/** Rules of every body, and of Idempotency-Key on every POST. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorOf, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let id: string
let admin: string
beforeAll(async () => {
  api = await startApi({ devices: 16 })
  id = await api.readyPhone()
  admin = await api.keyOf('admin')
})
afterAll(() => api.close())

const json = { 'content-type': 'application/json' }

describe('bodies', () => {
  const post = (payload: string | Buffer, type: string | null = 'application/json') =>
    api.request('POST', '/v1/phones', { headers: type === null ? {} : { 'content-type': type }, payload })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; a=b',
  ])('are accepted as %s', async (type) => {
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
    'count as none when they are empty, with any type (%s)',
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
  ])('are refused unless they are JSON: %s [22.6]', async (payload) => {
    const { details } = errorOf(await post(payload), 400, 'validation_failed')
    expect(details['validation_stage']).toBe('json')
  })

  it.each(['null', '[]', '1', '"a"', 'true'])(
    'are refused unless they are an object: %s',
    async (payload) => {
      const { details } = errorOf(await post(payload), 400, 'validation_failed')
      expect(details['validation_stage']).toBe('body')
    },
  )

  it.each([
    ['PATCH', '/v1/phones/{id}', 200],
    ['POST', '/v1/phones/{id}/start', 200],
    ['POST', '/v1/phones/{id}/heartbeat', 200],
    ['POST', '/v1/phones/{id}/live', 201],
    ['DELETE', '/v1/phones/{id}', 200],
  ])('may be omitted or {}: %s %s [2.5, 2.6]', async (method, url, status) => {
    const key = admin
    const path = url.replace('{id}', method === 'DELETE' ? await api.placePhone('parked') : id)
    expect((await api.request(method, path, { key })).statusCode).toBe(status)
    expect((await api.request(method, path, { key, headers: json, payload: '{}' })).statusCode).toBe(status)
    errorOf(
      await api.request(method, path, { key, headers: json, payload: '{"x":1}' }),
      400,
      'validation_failed',
    )
  })

  it('are required for actions [30.6]', async () => {
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
    expect(performance.now() - began).toBeLessThan(60_000)
  })
})

describe('Idempotency-Key', () => {
  const posts = ['/v1/phones', '/v1/phones/{id}/start', '/v1/phones/{id}/park', '/v1/phones/{id}/heartbeat']
  it.each(posts)('is checked on POST %s [17.2, 20.22]', async (url) => {
    const phone = url.endsWith('park') ? await api.readyPhone() : id
    const post = (key: string) =>
      api.request('POST', url.replace('{id}', phone), { headers: { 'idempotency-key': key } })
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
    for (const key of ['a'.repeat(8), '0'.repeat(128), 'aZ0_.:-x'])
      expect((await post(key)).statusCode).toBeLessThan(300)
  })

  it('is ignored on other methods', async () => {
    expect(
      (await api.request('GET', '/v1/account', { headers: { 'idempotency-key': '!' } })).statusCode,
    ).toBe(200)
  })
})
