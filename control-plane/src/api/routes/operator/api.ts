/**
 * Declares routes of `/operator/v1`. A write uses `write`, which runs it in one transaction with
 * its audit entry and its Idempotency-Key. `addWriteGuard` refuses a writing route without it.
 */
import { ApiError, idempotencyKeyPattern, idempotencyKeyRule } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { canonicalHash } from '../../http/canonical.js'
import { parseBody } from '../../http/parse-body.js'
import { type Core } from '../../../base/core/core.js'
import { addAudit } from '../../../base/audit/audit.js'
import { type ParamsOf } from '../shape.js'
import { operatorOf } from './gate.js'
import { claimKey, keepAnswer, type Answer } from '../../../base/audit/once.js'
import { inAuditedTransaction, type Change, type Work } from '../../../base/audit/work.js'

export const operatorBase = '/operator/v1'

/** The body of a write without fields. */
const noFields = z.strictObject({})
type NoFields = typeof noFields

/** A read, with the names of the parameters of its query. */
type ReadRequest<U extends string, Q extends string> = FastifyRequest<{
  Params: ParamsOf<U>
  Querystring: Partial<Record<Q, unknown>>
}>

interface WriteSpec<U extends string = string, A extends z.ZodType = z.ZodType> {
  method: 'POST' | 'PATCH' | 'DELETE'
  /** The path below `/operator/v1`. */
  url: U
  /** The action in the audit log, for example `project.change`. */
  action: string
  /** The response's status; default 200. */
  status?: number
  /** Omitted: no client reads the JSON. */
  answer?: A
}

/**
 * The data that a route reads from the body before the transaction. An `Idempotency-Key` compares bodies by
 * `fingerprint`.
 */
interface Received {
  fingerprint: string
}

export interface OperatorApi {
  /** Declares a read. */
  read<U extends string, A extends z.ZodType, Q extends string = never>(
    url: U,
    shape: { query?: readonly Q[]; answer: A },
    handler: (request: ReadRequest<U, Q>) => Promise<z.input<A>>,
  ): void
  /**
   * Declares a write, which responds with the change's `result`. Refuses a body that does not match `spec.body`; the
   * default accepts no fields.
   */
  write<U extends string, A extends z.ZodType = z.ZodUnknown, S extends z.ZodType = NoFields>(
    spec: WriteSpec<U, A> & { body?: S },
    handler: (work: Work, input: { params: ParamsOf<U>; body: z.output<S> }) => Promise<Change<z.input<A>>>,
  ): void
  /** Declares a write whose body is a stream: `receive` reads the body before the transaction. */
  writeStream<T extends Received, A extends z.ZodType>(
    spec: WriteSpec<string, A>,
    receive: (request: FastifyRequest, reply: FastifyReply) => Promise<T>,
    handler: (work: Work, received: T) => Promise<Change<z.input<A>>>,
  ): void
}

/** Used by each plugin of the operator's server, which checks the token before any route. */
export function operatorApi(app: FastifyInstance, core: Core): OperatorApi {
  app.addHook('onRequest', (request, _reply, done) => {
    refuseNul(request)
    done()
  })

  const addWrite = (
    spec: WriteSpec & { body?: z.ZodType },
    isStream: boolean,
    prepare: (
      request: FastifyRequest,
      reply: FastifyReply,
    ) => Promise<{ body: unknown; act: (work: Work) => Promise<Change<unknown>> }>,
  ): void => {
    app.route({
      method: spec.method,
      url: operatorBase + spec.url,
      config: { isAudited: true, streamBody: isStream, shape: spec },
      handler: async (request, reply) => {
        const key = idempotencyKeyOf(request)
        const { body, act } = await prepare(request, reply)
        const fingerprint = canonicalHash([spec.method, request.url, body])
        const answer = await inAuditedTransaction(
          core,
          operatorOf(request),
          async (work): Promise<Answer> => {
            const earlier = key === null ? null : await claimKey(work, key, fingerprint)
            if (earlier) return earlier
            const change = await act(work)
            await addAudit(work, spec.action, change)
            const made = { status: spec.status ?? 200, text: JSON.stringify(change.result) }
            if (key !== null) await keepAnswer(work, key, made)
            return made
          },
        )
        return reply
          .code(answer.status)
          .type('application/json; charset=utf-8')
          .serializer(String)
          .send(answer.text)
      },
    })
  }

  return {
    read: (url, shape, handler) => {
      app.get(operatorBase + url, { config: { shape } }, (request) =>
        handler(request as Parameters<typeof handler>[0]),
      )
    },
    write: (spec, handler) =>
      addWrite(spec, false, (request) =>
        Promise.resolve({
          body: request.readBody ?? {},
          act: (work) =>
            handler(work, {
              params: request.params as Parameters<typeof handler>[1]['params'],
              body: parseBody(spec.body ?? noFields, request) as Parameters<typeof handler>[1]['body'],
            }),
        }),
      ),
    writeStream: (spec, receive, handler) =>
      addWrite(spec, true, async (request, reply) => {
        const received = await receive(request, reply)
        return { body: received.fingerprint, act: (work) => handler(work, received) }
      }),
  }
}

/** Stops the process at start if a write is declared without an audit entry. */
export function addWriteGuard(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const writes = [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD')
    if (writes && route.config?.isAudited !== true)
      throw new Error(
        `${[route.method].flat().join()} ${route.url} is not audited: declare it with operatorApi`,
      )
  })
}

/** @throws ApiError validation_failed */
function idempotencyKeyOf(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key']
  if (header === undefined) return null
  if (typeof header === 'string' && idempotencyKeyPattern.test(header)) return header
  throw new ApiError('validation_failed', {
    message: `The Idempotency-Key header ${idempotencyKeyRule}.`,
    details: {
      validation_stage: 'headers',
      issues: [{ path: ['idempotency-key'], message: idempotencyKeyRule }],
    },
  })
}

/** Postgres cannot store a NUL, so no object has such an ID or name. */
function refuseNul(request: FastifyRequest): void {
  const fields = { ...(request.query as object), ...(request.params as object) }
  const texts: unknown[] = Object.values(fields)
  if (texts.some((text) => typeof text === 'string' && text.includes('\0')))
    throw new ApiError('not_found', { message: 'An ID or name must not contain a NUL character.' })
}
