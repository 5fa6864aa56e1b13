/** The fields that our hooks add to Fastify's types, and the instance type of routes. */
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operator } from '../../base/audit/auth.js'
import { type Caller, type Scope } from '../../base/core/caller.js'
import { type InProcessCall } from './in-process.js'
import { type Lifetimes } from './lifetimes.js'
import { type RequestWork } from './request-context.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the key check of `/v1`. Read it with `callerOf`. */
    caller: Caller | null
    /** Set by the token check of `/operator/v1`. Read it with `operatorOf`. */
    operator: Operator | null
    /** The body that `http/body.ts` read; undefined for a request without a body. */
    readBody: unknown
    /** The code of the error response; null for a success. */
    errorCode: string | null
    /** True if the error is an `internal_error` because the connection to a host was lost. */
    isHostLost: boolean
    /** Set by `http/request-context.ts`. */
    work: RequestWork | null
    /** Set by `http/in-process.ts`; null for a request from the network. */
    inProcess: InProcessCall | null
  }
  interface FastifyInstance {
    /** Set by `http/lifetimes.ts`. */
    lifetimes: Lifetimes
  }
  interface FastifyContextConfig {
    /** A `/v1` route that needs no key. */
    isOpen?: boolean
    /** A route that accepts a key with any scope. Routes of `/v1` name their scope. */
    anyScope?: boolean
    /** The scope that a `/v1` route needs. */
    scope?: Scope
    /** A write of `/operator/v1` with an audit entry; set only by `operator/api.ts`. */
    isAudited?: boolean
    /** The body in `readBody` is bytes of any content type, not JSON. */
    rawBody?: boolean
    /** The body stays on `request.raw`, and the route streams it. */
    streamBody?: boolean
    /** Checks the scope after the body, as create does. */
    scopeAfterBody?: boolean
    /** A `/v1` write that runs once per `Idempotency-Key`; other writes ignore the header. */
    isIdempotent?: boolean
    /**
     * A 500 of this route means that the request may have run. If Postgres cannot read the key, the request has not
     * run, so the error is `phone_unavailable`.
     */
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
