/** What our hooks add to Fastify's types, and the instance that routes are written against. */
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operator } from '../operator/auth.js'
import { type Caller, type Scope } from '../core/caller.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set by the key check of `/v1`. Read it with `callerOf`. */
    caller: Caller | null
    /** Who asks; set by the token check of `/operator/v1`. Read it with `operatorOf`. */
    operator: Operator | null
    /** The body as read by `http/body.ts`; undefined when there was none. */
    readBody: unknown
    /** Of the error that was answered; null when there was none. */
    errorCode: string | null
  }
  interface FastifyContextConfig {
    /** A `/v1` route that needs no key. */
    isOpen?: boolean
    /** The scope that a `/v1` route needs. */
    scope?: Scope
    /** A write of `/operator/v1` that leaves an audit entry; set by `operator/api.ts` alone. */
    isAudited?: boolean
    /** The body is bytes of any type, in `readBody`, and no JSON. */
    rawBody?: boolean
    /** The body is left on `request.raw`, for the route to stream. */
    streamBody?: boolean
    /** Checks the scope after the body, as create does. */
    scopeAfterBody?: boolean
    /** Its 500 means that it may have run, so a key that cannot be read is `phone_unavailable`: nothing ran. */
    tellsThatNothingRan?: boolean
  }
}

export type ApiInstance = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>
