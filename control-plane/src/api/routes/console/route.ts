/** Declares the routes of `/console/api`. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify'
import { type z } from 'zod'
import { parseBody } from '../../http/parse-body.js'
import { type ParamsOf, type Shape } from '../shape.js'
import { apiPath } from './gate.js'
import { type RouteName } from './rules.js'

interface Spec<A, B, Q> extends Shape, Pick<RouteOptions, 'bodyLimit' | 'config' | 'preHandler'> {
  query?: readonly Q[] & readonly string[]
  /** Omitted: the body is not read. */
  body?: B & z.ZodType
  answer?: A & z.ZodType
  /** The status of a success; default 200. */
  status?: number
}

type RequestOf<N extends string, B, Q extends string> = FastifyRequest<{
  Params: ParamsOf<N>
  Querystring: Partial<Record<Q, unknown>>
  Body: B
}>

/** @param name the method and the path, as in `rules.ts`. The request has the checked body. */
export function route<
  N extends RouteName,
  A extends z.ZodType = z.ZodUnknown,
  B extends z.ZodType = z.ZodUnknown,
  Q extends string = never,
>(
  app: FastifyInstance,
  name: N,
  { status = 200, bodyLimit, config, preHandler, ...shape }: Spec<A, B, Q>,
  handler: (request: RequestOf<N, z.output<B>, Q>, reply: FastifyReply) => Promise<z.input<A> | FastifyReply>,
): void {
  const [method = '', path = ''] = name.split(' ')
  app.route({
    method,
    url: apiPath + path,
    config: { ...config, shape },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(preHandler === undefined ? {} : { preHandler }),
    handler: (request, reply) => {
      if (shape.body !== undefined) request.body = parseBody(shape.body, request)
      return handler(request as RequestOf<N, z.output<B>, Q>, reply.code(status))
    },
  })
}
