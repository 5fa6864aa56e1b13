/** A server over `MemoryServices`, and requests to it, for tests of routes and conventions. */
import { createLogger, type Clock } from '@phonerack/shared'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Response } from 'light-my-request'
import { expect } from 'vitest'
import { buildServer, type HttpConfig, type ServerOptions } from '../server/server.js'
import { errorSchema } from '../routes/schemas.js'
import { MemoryServices } from './memory-services.js'

export interface TestApi {
  app: FastifyInstance
  services: MemoryServices
  clock: Clock & { at: Date }
  /** An Agent key. */
  key: string
  request(
    method: string,
    url: string,
    options?: Partial<InjectOptions> & { key?: string | null },
  ): Promise<Response>
}

export async function testApi(
  config: Partial<HttpConfig> = {},
  extra: Partial<Pick<ServerOptions, 'plugins' | 'health'>> = {},
): Promise<TestApi> {
  const services = new MemoryServices()
  const at = new Date('2026-01-02T03:04:05.000Z')
  const clock = { at, now: () => clock.at }
  const log = createLogger('test')
  log.level = 'silent'
  const app = await buildServer({
    services,
    config: { baseUrl: 'http://api.test', ...config },
    log,
    clock,
    ...extra,
  })
  const standard = services.key()
  return {
    app,
    services,
    clock,
    key: standard,
    request: (method, url, { key = standard, headers = {}, ...rest } = {}) =>
      app.inject({
        method: method,
        url,
        headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
        ...rest,
      }),
  }
}

export interface ErrorBody {
  type: string
  code: string
  message: string
  retryable: boolean
  next: string | null
  request_id: string
  details: Record<string, unknown> & {
    issues?: { path: unknown[]; message: string; alternatives?: string[] }[]
  }
}

/** The error of an answer, after checking status, envelope and headers. */
export function errorOf(response: Response, status: number, code: string): ErrorBody {
  const body = response.json<{ error: ErrorBody }>()
  expect({ status: response.statusCode, code: body.error.code }).toEqual({ status, code })
  expectConventions(response)
  expect(Object.keys(body)).toEqual(['error'])
  expect(errorSchema.strict().safeParse(body).success).toBe(true)
  expect(body.error.request_id).toBe(response.headers['x-request-id'])
  return body.error
}

export function expectConventions(response: Response): void {
  expect(response.headers['x-request-id']).toMatch(/^req_[a-z2-7]{12}$/)
  expect(response.headers['cache-control']).toBe('no-store')
}

/** The failure of a phone while a request waited for it: never worth repeating, and what to do instead. */
export function expectFailure(response: Response, status: number, code: string, phoneId: string): ErrorBody {
  const error = errorOf(response, status, code)
  expect(error.retryable).toBe(false)
  expect(error.details['phone']).toBe(phoneId)
  expect(error.next).toMatch(/create a new phone: POST \/v1\/phones$/)
  expect(response.headers['retry-after']).toBeUndefined()
  return error
}

/** Sends a JSON body. */
export const sendJson = (
  api: TestApi,
  method: string,
  url: string,
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<Response> =>
  api.request(method, url, {
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  })

/** The refusal of a body, which has reached no service but the key's. */
export async function refusalOf(
  api: TestApi,
  method: string,
  url: string,
  body: unknown,
): Promise<ErrorBody> {
  const calls = api.services.calls.length
  const error = errorOf(await sendJson(api, method, url, body), 400, 'validation_failed')
  expect(error.retryable).toBe(false)
  expect(error.details.issues?.length).toBeGreaterThan(0)
  expect(api.services.calls.slice(calls).map(({ name }) => name)).toEqual(['authenticate'])
  return error
}
