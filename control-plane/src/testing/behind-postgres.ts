/** A control plane with a ready phone, and requests to it while its Postgres is unavailable. */
import { expect } from 'vitest'
import { errorOf } from './api.js'
import { readyPhone } from './ready-phone.js'
import { eventually, type World } from './world.js'

/** @param databaseUrl a database that the control plane migrates */
export async function startBehind(world: World, databaseUrl: string) {
  const plane = await world.start({ env: { DATABASE_URL: databaseUrl } })
  const agent = await plane.rack(1)
  const tenant = await plane.tenant()
  const phone = await readyPhone(plane, tenant, { maxDuration: 10_000, idleTimeout: 3600 })

  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    plane.server.inject({
      method,
      url,
      headers: { authorization: `Bearer ${tenant.key}` },
      ...(payload ? { payload } : {}),
    })
  const createKey = (name: string) =>
    plane.operator.inject({
      method: 'POST',
      url: '/operator/v1/keys',
      headers: { authorization: `Bearer ${plane.operatorToken}` },
      payload: { project: tenant.projectId, name },
    })
  const named = async () => (await call('GET', `/v1/phones/${phone}`)).json<{ name: string | null }>().name
  const isBack = () => eventually(async () => (await call('GET', `/v1/phones/${phone}`)).statusCode === 200)

  /** Reads, writes that do not begin, and requests into phones. */
  async function expectUnavailable(): Promise<void> {
    const refused = [
      call('GET', '/v1/phones'),
      call('GET', '/v1/account'),
      call('PATCH', `/v1/phones/${phone}`, { name: 'while away' }),
      call('POST', '/v1/phones', { wait: false }),
      call('POST', `/v1/phones/${phone}/park`, { wait: false }),
      createKey('while away'),
    ]
    for (const answer of await Promise.all(refused)) {
      const error = errorOf(answer, 503, 'service_unavailable')
      expect([error.type, error.retryable, answer.headers['retry-after']]).toEqual(['api_error', true, '2'])
      expect(error.next).toMatch(/again/)
    }
    const batch = await call('POST', `/v1/phones/${phone}/actions`, { actions: [{ type: 'wait', ms: 1 }] })
    expect(errorOf(batch, 503, 'phone_unavailable').retryable).toBe(true)
    expect(batch.headers['retry-after']).toBe('2')
    const screenshot = await call('GET', `/v1/phones/${phone}/screenshot`)
    // After a second, the key is no longer cached.
    expect(['phone_unavailable', 'service_unavailable']).toContain(
      screenshot.json<{ error: { code: string } }>().error.code,
    )
    expect([screenshot.statusCode, screenshot.headers['retry-after']]).toEqual([503, '2'])
    expect((await plane.server.inject({ url: '/livez' })).statusCode).toBe(200)
    const ready = await plane.server.inject({ url: '/readyz' })
    expect(ready.json()).toMatchObject({
      status: 'unavailable',
      checks: { postgres: { ok: false, required: true } },
    })
  }

  return { plane, agent, phone, call, createKey, named, isBack, expectUnavailable }
}
