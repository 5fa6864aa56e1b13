/**
 * Sends requests, keeps the `next` of each refusal, and sends the requests that it names, as an agent's
 * author would.
 */
import { type Response } from 'light-my-request'
import { expect } from 'vitest'
import { errorOf, type ErrorBody } from '../api.js'
import { createBody, eventually, type Plane, type Tenant } from '../world.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
interface Named {
  method: Method
  url: string
  body?: object
}

/** The requests in a `next`, each with the JSON body that may follow its path. */
export const requestsIn = (next: string): Named[] =>
  [...next.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/v1[^\s,;:()"]*[^\s,;:()".])(?: (\{.*?\}))?/g)].map(
    ([, method, url = '', body]) => ({
      method: method as Method,
      url,
      ...(body === undefined ? {} : { body: JSON.parse(body) as object }),
    }),
  )

export interface Follower {
  readonly plane: Plane
  readonly tenant: Tenant
  send(method: Method, url: string, body?: object, headers?: Record<string, string>): Promise<Response>
  /** Expects a 2xx response. */
  done(method: Method, url: string, body?: object): Promise<Response>
  /** Expects a refusal with this code. */
  refused(
    status: number,
    code: string,
    method: Method,
    url: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<ErrorBody & { next: string }>
  /** Records a `next` that is not in an error's envelope. */
  note(next: string | null | undefined): string
  /** Sends each request in the text and expects a 2xx response. `bodies`: in the order of the requests. */
  follow(next: string, bodies?: (object | undefined)[]): Promise<Response[]>
  newPhone(): Promise<string>
  status(phoneId: string): Promise<string>
  until(phoneId: string, status: string): Promise<void>
}

/** @param seen collects the texts, for the coverage of all places */
export function createFollower(plane: Plane, tenant: Tenant, seen: string[]): Follower {
  const follower: Follower = {
    plane,
    tenant,
    send: (method, url, body, headers = {}) =>
      plane.server.inject({
        method,
        url,
        headers: { authorization: `Bearer ${tenant.key}`, ...headers },
        ...(body ? { payload: body } : {}),
      }),
    async done(method, url, body) {
      const answer = await follower.send(method, url, body)
      expect(Math.floor(answer.statusCode / 100), `${method} ${url}: ${answer.body}`).toBe(2)
      return answer
    },
    async refused(status, code, method, url, body, headers) {
      const error = errorOf(await follower.send(method, url, body, headers), status, code)
      return { ...error, next: follower.note(error.next) }
    },
    note(next) {
      if (typeof next !== 'string') throw new Error('there is no `next`')
      seen.push(next)
      return next
    },
    async follow(next, bodies = []) {
      const named = requestsIn(next)
      expect(named.length, next).toBeGreaterThan(0)
      const answers: Response[] = []
      for (const [index, { method, url, body }] of named.entries())
        answers.push(await follower.done(method, url, body ?? bodies[index]))
      return answers
    },
    async newPhone() {
      const { phone } = await plane.app.services.phones.create(
        tenant.caller,
        createBody({ idleTimeout: 3600, maxDuration: 3600 }),
        null,
      )
      await follower.until(phone.id, 'ready')
      return phone.id
    },
    status: async (phoneId) => (await plane.app.services.phones.get(tenant.caller, phoneId)).status,
    until: (phoneId, status) => eventually(async () => (await follower.status(phoneId)) === status),
  }
  return follower
}

/** Runs the function while a followed request waits. */
export const soon = (act: () => Promise<unknown>): Promise<unknown> =>
  new Promise((resolve) => setTimeout(resolve, 200)).then(act)
