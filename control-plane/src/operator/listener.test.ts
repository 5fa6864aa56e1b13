// The operator API has a listener separate from the public one; neither serves the other's
// requests.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../config/config.js'
import { startWorld, type Plane, type World } from '../testing/world.js'

let world: World
let plane: Plane
beforeAll(async () => {
  world = startWorld()
  plane = await world.start()
})
afterAll(() => world.stop())

const codeOf = (answer: { json(): unknown }) => (answer.json() as { error?: { code: string } }).error?.code

it('answers 404 for operator requests on the public listener, even with a valid token', async () => {
  const tenant = await plane.tenant()
  for (const token of [plane.operatorToken, tenant.key, ''])
    for (const [method, url] of [
      ['GET', '/operator/v1/hosts'],
      ['GET', `/operator/v1/projects/${tenant.projectId}`],
      ['POST', '/operator/v1/service/pause'],
      ['POST', '/operator/v1/library/files'],
      ['DELETE', '/operator/v1/keys/key_aaaaaaaaaaaa'],
      ['GET', '/operator/v1/none'],
    ] as const) {
      const answer = await plane.server.inject({ method, url, headers: { authorization: `Bearer ${token}` } })
      expect([answer.statusCode, codeOf(answer)], `${method} ${url}`).toEqual([404, 'not_found'])
    }
})

it('answers 404 for all other requests on the operator listener', async () => {
  const { key } = await plane.tenant()
  const headers = { authorization: `Bearer ${key}` }
  for (const url of ['/v1/account', '/setup', '/openapi.json', '/docs', '/'])
    expect((await plane.operator.inject({ url, headers })).statusCode, url).toBe(404)
  const join = await plane.operator.inject({ method: 'POST', url: '/host/v1/join', payload: {} })
  expect(join.statusCode).toBe(404)
  const hosts = await plane.operator.inject({
    url: '/operator/v1/hosts',
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })
  expect(hosts.statusCode).toBe(200)
  expect(hosts.headers).toMatchObject({ 'cache-control': 'no-store' })
})

it('keeps the join of hosts on the public listener', async () => {
  const join = await plane.server.inject({ method: 'POST', url: '/host/v1/join', payload: {} })
  expect([join.statusCode, codeOf(join)]).toEqual([400, 'validation_failed'])
})

const needed = { DATABASE_URL: 'postgres://x', NATS_URL: 'nats://x', PHONERACK_PKI_DIR: '/pki' }

it('listens on loopback unless an address is configured', () => {
  expect(readConfig(needed).operator).toEqual({ host: '127.0.0.1', port: 8090, isChosen: false })
  for (const [text, host, port] of [
    ['10.1.2.3:9000', '10.1.2.3', 9000],
    ['[::1]:9001', '::1', 9001],
    ['rack.internal:80', 'rack.internal', 80],
    ['127.0.0.1:0', '127.0.0.1', 0],
  ] as const)
    expect(readConfig({ ...needed, PHONERACK_OPERATOR_LISTEN: text }).operator).toEqual({
      host,
      port,
      isChosen: true,
    })
  for (const wrong of ['9000', ':9000', 'host', 'host:', 'host:x', 'a b:1', 'host:99999'])
    expect(() => readConfig({ ...needed, PHONERACK_OPERATOR_LISTEN: wrong }), wrong).toThrow(
      /OPERATOR_LISTEN/,
    )
})
