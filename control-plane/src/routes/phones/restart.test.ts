/** POST reboot and POST reset: answers, scopes, bodies, refusals. */
import { ApiError } from '@phonerack/shared'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { errorOf, expectConventions, sendJson, testApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let id: string
beforeEach(async () => {
  api = await testApi()
  id = api.services.phone('ready').id
})
afterEach(() => api.app.close())

const post = (what: string, key?: string) =>
  api.request('POST', `/v1/phones/${id}/${what}`, key === undefined ? {} : { key })

it('reboot answers 202 with the phone, now starting', async () => {
  const response = await post('reboot')
  expectConventions(response)
  expect(response.statusCode).toBe(202)
  expect(response.json()).toMatchObject({ id, object: 'phone', status: 'starting' })
})

it('reset answers 202 with the phone and what is wiped, and needs phones:delete', async () => {
  const error = errorOf(await post('reset', api.services.key('agent')), 403, 'insufficient_scope')
  expect(error.details).toEqual({ required: 'phones:delete' })
  const response = await post('reset', api.services.key('admin'))
  expect(response.statusCode).toBe(202)
  expect(response.json()).toMatchObject({
    phone: { id, status: 'starting' },
    wiped: ['apps', 'files', 'accounts', 'clipboard'],
  })
})

it('reboot needs phones:control', async () => {
  errorOf(await post('reboot', api.services.key('read-only')), 403, 'insufficient_scope')
})

it.each(['reboot', 'reset'])('%s takes no field', async (what) => {
  const key = { authorization: `Bearer ${api.services.key('admin')}` }
  const url = `/v1/phones/${id}/${what}`
  const error = errorOf(await sendJson(api, 'POST', url, { force: true }, key), 400, 'validation_failed')
  expect(error.details).toMatchObject({ issues: [{ path: ['force'] }] })
  expect(api.services.called(what)).toEqual([])
  expect((await sendJson(api, 'POST', url, {}, key)).statusCode).toBe(202)
})

it('says how long to wait', async () => {
  api.services.failures.set(
    'reboot',
    new ApiError('rate_limited', { retryAfterSeconds: 432, details: { retry_after_seconds: 432 } }),
  )
  const response = await post('reboot')
  expect(errorOf(response, 429, 'rate_limited').details).toEqual({ retry_after_seconds: 432 })
  expect(response.headers['retry-after']).toBe('432')
})
