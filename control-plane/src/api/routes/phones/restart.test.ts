/** POST reboot and POST reset: responses, scopes, bodies, refusals. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  errorOf,
  expectConventions,
  sendJson,
  servicesUsed,
  startApi,
  type TestApi,
} from '../../../testing/api.js'

let api: TestApi
let id: string
let admin: string
let readOnly: string
beforeAll(async () => {
  api = await startApi({ devices: 5 })
  id = await api.readyPhone()
  admin = await api.keyOf('admin')
  readOnly = await api.keyOf('read-only')
})
afterAll(() => api.close())

const post = (what: string, key = api.key, phone = id) =>
  api.request('POST', `/v1/phones/${phone}/${what}`, { key })

it('reboot answers 202 with the phone, now starting [2.23]', async () => {
  const response = await post('reboot')
  expectConventions(response)
  expect(response.statusCode).toBe(202)
  expect(response.json()).toMatchObject({ id, object: 'phone', status: 'starting' })
})

it('reset answers 202 with the phone and what is erased, and needs phones:delete [2.24]', async () => {
  const phone = await api.readyPhone()
  const error = errorOf(await post('reset', api.key, phone), 403, 'insufficient_scope')
  expect(error.details).toEqual({ required: 'phones:delete' })
  const response = await post('reset', admin, phone)
  expect(response.statusCode).toBe(202)
  expect(response.json()).toMatchObject({
    phone: { id: phone, status: 'starting' },
    wiped: ['apps', 'files', 'accounts', 'clipboard'],
  })
})

it('reboot needs phones:control', async () => {
  errorOf(await post('reboot', readOnly), 403, 'insufficient_scope')
})

it.each(['reboot', 'reset'])('%s accepts no field [35.40]', async (what) => {
  const key = { authorization: `Bearer ${admin}` }
  const url = `/v1/phones/${await api.readyPhone()}/${what}`
  const before = api.calls.length
  const error = errorOf(await sendJson(api, 'POST', url, { force: true }, key), 400, 'validation_failed')
  expect(error.details).toMatchObject({ issues: [{ path: ['force'] }] })
  expect(servicesUsed(api, before)).toEqual([])
  expect((await sendJson(api, 'POST', url, {}, key)).statusCode).toBe(202)
})

it('returns how long to wait', async () => {
  const phone = await api.readyPhone()
  const { clock, db } = api.plane.app.core
  // The clock of the service may be slightly behind the clock of this machine.
  const rebootedAt = new Date(clock.now().getTime() - 168_000)
  await db.phone.update({ where: { id: phone }, data: { rebootedAt } })
  const response = await post('reboot', api.key, phone)
  const { retry_after_seconds: left } = errorOf(response, 429, 'rate_limited').details
  expect(response.headers['retry-after']).toBe(String(left))
  // One reboot in 600 seconds.
  expect(left).toBeGreaterThan(400)
  expect(left).toBeLessThanOrEqual(432)
})
