/** Checks that apply to every request first: ID, no caching, Origin, 404 and 405, in this order. */
import { ApiError } from '@phonerack/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { validationFailed } from '../../base/validation/validation-error.js'
import { pathOf, type KnownPaths } from './known-paths.js'

const isPublicApi = (path: string): boolean => path.startsWith('/v1/')

/** Refuses browsers on `/v1` only. */
export function refusedOrigin(request: FastifyRequest): ApiError | null {
  if (request.headers.origin === undefined) return null
  const path = request.is404
    ? pathOf(request.raw.url ?? '')
    : (request.routeOptions.url ?? pathOf(request.raw.url ?? ''))
  return isPublicApi(path) ? new ApiError('browser_requests_not_allowed') : null
}

/** True for a path without a route, and for an empty path parameter (`/v1/phones/`), which the router matches. */
const leadsNowhere = (request: FastifyRequest): boolean =>
  request.is404 || Object.values(request.params as Record<string, string>).includes('')

export function addConventions(app: FastifyInstance, paths: KnownPaths): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('cache-control', 'no-store')

    const refused = refusedOrigin(request)
    if (refused) return done(refused)

    if (leadsNowhere(request)) {
      const methods = paths.methodsAt(request.raw.url ?? '')
      if (methods.length === 0) return done(new ApiError('not_found'))
      reply.header('allow', methods.join(', '))
      return done(
        new ApiError('method_not_allowed', {
          next: `Use ${methods.join(' or ')}.`,
          details: { allow: methods },
        }),
      )
    }
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return done(validationFailed('headers', [{ path: ['host'], message: 'is required' }]))
    done()
  })
}
