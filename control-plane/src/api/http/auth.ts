/** Checks key, rate, profile and scope of a `/v1` request, in this order. */
import { ApiError, isSecret } from '@phonerack/shared'
import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify'
import { controlOutOfReach } from '../../base/core/out-of-reach.js'
import { isAway } from '../../base/db/away.js'
import { isBusy, tooBusy } from '../../base/db/busy.js'
import type { Lifetimes } from './lifetimes.js'
import type { RateLimit } from './rate-limit.js'
import { keyFailures, type FailureLimit } from '../../base/failure-limit/failure-limit.js'
import { addressOf } from '../../base/failure-limit/network.js'
import { type Caller, type Scope } from '../../base/core/caller.js'
import { outsideProfile, profileHeader, withProfile } from '../../rental/keys/profile.js'
import { type KeyService } from '../../rental/keys/types.js'

const howTo = 'Send Authorization: Bearer <API key>.'

const isToken = (secret: string): boolean => isSecret('connectorAccess', secret)

/** Returns the key or connector token of an `Authorization` header; null for a missing or malformed header. */
export function bearerKey(header: string | undefined): string | null {
  const secret = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  return secret !== undefined && (isSecret('apiKey', secret) || isToken(secret)) ? secret : null
}

/** Tokens are bound to `/mcp`. docs/decisions/0296 */
const forMcpOnly = (): ApiError =>
  new ApiError('invalid_api_key', {
    message: 'This is the access token of a connector, which is valid for `/mcp` only.',
    next: howTo,
  })

const lacks = (scope: Scope): ApiError =>
  new ApiError('insufficient_scope', {
    message: `The API key lacks the scope ${scope}, which this request needs.`,
    next: `Use an API key with the scope ${scope}.`,
    details: { required: scope },
  })

/** A key limited to certain phones never creates a phone, even with the scope for it. */
export const mayUse = (caller: Caller, scope: Scope): boolean =>
  caller.scopes.includes(scope) && (scope !== 'phones:create' || caller.phoneIds === null)

/** @throws ApiError insufficient_scope */
function checkScope(caller: Caller, scope: Scope): void {
  if (mayUse(caller, scope)) return
  throw caller.profile === 'read-only' ? outsideProfile(caller.profile, scope) : lacks(scope)
}

/** Returns the text of a header that was sent once. Node.js joins the values of repeated headers. */
const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name.toLowerCase()]
  return typeof value === 'string' ? value : value?.join(', ')
}

/** Returns the request's caller. Only for routes behind `addAuth`. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller)
    throw new Error(`no caller on the request to ${request.routeOptions.url ?? request.url}`)
  return request.caller
}

export interface AuthDeps {
  keys: KeyService
  rate: RateLimit
  failureLimit: FailureLimit
  lifetimes: Lifetimes
}

interface AuthOptions {
  /** Whether the routes accept access tokens of connectors. Default: false. */
  takesTokens?: boolean
}

/** Used in the scopes of the `/v1` routes and of `/mcp`. Each route names its scope in `config`. */
export function addAuth(
  app: FastifyInstance,
  { keys, rate, failureLimit, lifetimes }: AuthDeps,
  { takesTokens = false }: AuthOptions = {},
): void {
  const authenticate = (secret: string, inProcess: boolean): Promise<Caller> =>
    isToken(secret) && !takesTokens && !inProcess ? Promise.reject(forMcpOnly()) : keys.authenticate(secret)
  app.addHook('onRoute', (route) => {
    const { scope, isOpen, anyScope } = route.config ?? {}
    if (!scope && isOpen !== true && anyScope !== true) throw new Error(`${route.url} does not name a scope`)
    // The hook runs after the route's own checks, which cover rules that its schema cannot express.
    if (route.config?.scopeAfterBody === true)
      route.preHandler = [...[route.preHandler ?? []].flat(), checkScopeLate]
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isOpen === true) return
    const secret = bearerKey(request.headers.authorization)
    // The limit has already counted the client's own request.
    const { inProcess } = request
    const check = {
      isKnown: secret === null ? null : () => keys.isKnown(secret),
      failures: keyFailures,
      work: () =>
        secret === null
          ? Promise.reject(new ApiError('invalid_api_key', { next: howTo }))
          : authenticate(secret, inProcess !== null),
    }
    const looked = inProcess ? check.work() : failureLimit.guard(request.raw, check)
    const found = await looked.catch((error: unknown) => {
      if (error instanceof ApiError) throw error
      const { tellsThatNothingRan } = request.routeOptions.config
      if (tellsThatNothingRan) throw controlOutOfReach(error)
      throw isBusy(error) || isAway(error) ? tooBusy(error) : error
    })
    if (!inProcess) {
      rate.count(found.keyId)
      keys.noteUse(found.keyId, addressOf(request))
    }
    const caller = withProfile(found, headerOf(request, profileHeader))
    request.caller = { ...caller, signal: lifetimes.work(reply), effects: { mayHaveBegun: false } }
    const { scope, scopeAfterBody } = request.routeOptions.config
    if (scope && !scopeAfterBody) checkScope(caller, scope)
  })
}

const checkScopeLate: preHandlerHookHandler = (request, _reply, done) => {
  const { scope } = request.routeOptions.config
  if (scope) checkScope(callerOf(request), scope)
  done()
}
