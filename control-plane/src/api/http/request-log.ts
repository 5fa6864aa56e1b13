/**
 * Logs one line per response. Successful reads are logged at `debug`, since they are most of the
 * traffic.
 */
import type { FastifyInstance } from 'fastify'

export function addRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode >= 500 ? 'warn' : request.method === 'GET' ? 'debug' : 'info'
    request.log[level](
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        code: request.errorCode ?? undefined,
        ms: Math.round(reply.elapsedTime),
        key: request.caller?.keyId,
      },
      'answered',
    )
    done()
  })
}
