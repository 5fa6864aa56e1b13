/**
 * The HTTP server with the real services, and requests to it, for tests of routes and conventions. Each test
 * file must create its own.
 */
import { createLogger, newId, type Clock } from '@phonerack/shared'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Response } from 'light-my-request'
import { expect } from 'vitest'
import { buildServer, type HttpConfig, type ServerOptions } from '../api/server/server.js'
import { errorSchema } from '../api/routes/schemas.js'
import { type Preset } from '../base/core/caller.js'
import { type PhoneStatus } from '../base/core/statuses.js'
import { type Services } from '../api/routes/services.js'
import { type AgentDouble } from './agent-double.js'
import { createKey } from './operator.js'
import { watchServices, type ServiceCall, type WatchedServices } from './watched-services.js'
import { readyPhone } from './ready-phone.js'
import { eventually, startWorld, type Plane, type Tenant, type TenantOptions } from './world.js'

/** Options. `services` replaces some real services, for conditions that a test cannot cause from outside. */
type Extra = Partial<Pick<ServerOptions, 'plugins' | 'health' | 'clock'>> & { services?: Partial<Services> }

interface ApiOptions {
  /** Free devices of the only rack; omitted: no rack. */
  devices?: number
  /** Limits and credit of the project. The defaults are so high that no test reaches them. */
  tenant?: TenantOptions
  env?: Record<string, string>
  http?: Partial<HttpConfig>
  extra?: Extra
}

export interface TestApi {
  app: FastifyInstance
  plane: Plane
  tenant: Tenant
  /** The secret of an Agent key. */
  key: string
  /** Calls of services through `app`, oldest first. */
  calls: ServiceCall[]
  called: (name: string) => ServiceCall[]
  failures: WatchedServices['failures']
  ended: WatchedServices['ended']
  /** The rack's agent. @throws Error when the API was started without devices */
  readonly agent: AgentDouble
  keyOf(preset: Preset, phoneIds?: string[]): Promise<string>
  /** Creates a phone that is ready on a device. */
  readyPhone(): Promise<string>
  /** Deletes every phone and waits until each device is free. */
  endPhones(): Promise<void>
  /**
   * Inserts a phone with this status and no device. Requests can read the phone and wait for it, and no job
   * changes it.
   */
  placePhone(status: PhoneStatus): Promise<string>
  /** Changes a phone's row and wakes its waiters. */
  movePhone(id: string, change: PhoneChange): Promise<void>
  request: (
    method: string,
    url: string,
    options?: Partial<InjectOptions> & { key?: string | null },
  ) => Promise<Response>
  /** Another server for the same services. */
  beside(http: Partial<HttpConfig>, extra?: Extra): Promise<TestApi>
  close: () => Promise<void>
}

interface PhoneChange {
  status: PhoneStatus
  failureCode?: string
}

const running: readonly PhoneStatus[] = ['creating', 'starting', 'ready']

export async function startApi({
  devices = 0,
  tenant: limits,
  env,
  http = {},
  extra,
}: ApiOptions = {}): Promise<TestApi> {
  const world = startWorld()
  const plane = await world.start({ env: { PHONERACK_LIFECYCLE_PER_MINUTE: '1000000', ...env } })
  const agent = devices > 0 ? await plane.rack(devices) : null
  const tenant = await plane.tenant({ credit: '1000', maxPhones: 1000, maxRunning: 1000, ...limits })
  const key = await keyOf(plane, tenant, 'agent')
  const servers: FastifyInstance[] = []
  const serve = async (config: Partial<HttpConfig>, more: Extra = {}): Promise<TestApi> => {
    const { services, calls, failures, ended } = watchServices({ ...plane.app.services, ...more.services })
    const log = createLogger('test')
    log.level = 'silent'
    const clock: Clock = more.clock ?? plane.app.core.clock
    const options = { baseUrl: 'http://api.test', requestsPerKeyPerMinute: 1_000_000, ...config }
    const app = await buildServer({
      failureLimit: plane.app.failureLimit,
      config: options,
      log,
      ...more,
      services,
      clock,
    })
    servers.push(app)
    return {
      app,
      plane,
      tenant,
      key,
      calls,
      failures,
      ended,
      called: (name) => calls.filter((call) => call.name === name),
      get agent() {
        if (!agent) throw new Error('the API was started without devices')
        return agent
      },
      keyOf: (preset, phoneIds) => keyOf(plane, tenant, preset, phoneIds),
      readyPhone: () => readyPhone(plane, tenant),
      endPhones: () => endPhones(plane, tenant),
      placePhone: (status) => placePhone(plane, tenant, status),
      movePhone: (id, change) => movePhone(plane, id, change),
      request: (method, url, { key: used = key, headers = {}, ...rest } = {}) =>
        app.inject({
          method: method,
          url,
          headers: { ...(used === null ? {} : { authorization: `Bearer ${used}` }), ...headers },
          ...rest,
        }),
      beside: serve,
      close: () => app.close(),
    }
  }
  const first = await serve(http, extra)
  first.close = async () => {
    for (const server of servers) await server.close()
    await world.stop()
  }
  return first
}

async function keyOf(plane: Plane, tenant: Tenant, preset: Preset, phoneIds?: string[]): Promise<string> {
  const input = { project: tenant.projectId, preset, expires: 'never' as const }
  return (await createKey(plane.app.core, phoneIds ? { ...input, phones: phoneIds } : input)).key
}

async function endPhones({ app }: Plane, { caller, projectId }: Tenant): Promise<void> {
  const { db } = app.core
  const phones = await db.phone.findMany({ where: { projectId, status: { not: 'deleted' } } })
  for (const { id } of phones) await app.services.phones.delete(caller, id)
  await eventually(async () => (await db.device.count({ where: { state: { not: 'free' } } })) === 0)
}

async function placePhone({ app }: Plane, { projectId }: Tenant, status: PhoneStatus): Promise<string> {
  const { db } = app.core
  const id = newId('phone')
  const now = new Date()
  const lastActiveAt = status === 'ready' ? now : null
  await db.phone.create({
    data: { id, projectId, keyId: 'k', name: id, status, createdAt: now, lastActiveAt, ...failure(status) },
  })
  if (!running.includes(status)) return id
  const reservedMicros = 900_000n
  await db.project.update({
    where: { id: projectId },
    data: { reservedMicros: { increment: reservedMicros } },
  })
  await db.session.create({
    data: {
      id: newId('session'),
      phoneId: id,
      projectId,
      idleTimeout: 300,
      maxDuration: 900,
      reservedMicros,
      startedAt: now,
      readyAt: lastActiveAt,
    },
  })
  return id
}

const failure = (status: PhoneStatus, code = 'capacity_unavailable') =>
  status === 'failed'
    ? { failureCode: code, failureMessage: 'No device was found.', failureAt: new Date() }
    : {}

async function movePhone({ app }: Plane, id: string, { status, failureCode }: PhoneChange): Promise<void> {
  const { changes, db } = app.core
  await db.phone.update({ where: { id }, data: { status, ...failure(status, failureCode) } })
  changes.publish(id)
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

/** Checks the status, envelope and headers of a response, and returns its error. */
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

/** Expects the error of a wait whose phone failed: not retryable, with a `next`. */
export function expectFailure(response: Response, status: number, code: string, phoneId: string): ErrorBody {
  const error = errorOf(response, status, code)
  expect(error.retryable).toBe(false)
  expect(error.details['phone']).toBe(phoneId)
  expect(error.next).toMatch(/[Cc]reate a new phone: POST \/v1\/phones$/)
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

/** Expects a body to be refused before any service is called, except the key's service. */
export async function refusalOf(
  api: TestApi,
  method: string,
  url: string,
  body: unknown,
): Promise<ErrorBody> {
  const before = api.calls.length
  const error = errorOf(await sendJson(api, method, url, body), 400, 'validation_failed')
  expect(error.retryable).toBe(false)
  expect(error.details.issues?.length).toBeGreaterThan(0)
  expect(servicesUsed(api, before)).toEqual([])
  return error
}

/** Calls since `from`, without the calls that every request makes for its key and its activity. */
export const servicesUsed = (api: TestApi, from = 0): string[] =>
  api.calls
    .slice(from)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('keys.') && !name.startsWith('activity.'))
