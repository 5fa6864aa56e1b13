/** Counts every response by the template of its route. */
import type { FastifyInstance } from 'fastify'
import { countRequest, hostLostCode } from '../../base/metrics/instruments.js'

export function addRequestMetrics(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    countRequest({
      method: request.method,
      // Paths without a route share one series, because clients choose them.
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.statusCode,
      errorCode: request.isHostLost ? hostLostCode : request.errorCode,
      via: request.inProcess ? 'in_process' : 'network',
      seconds: reply.elapsedTime / 1000,
    })
    done()
  })
}
