/** `Expect: 100-continue`: asks the client for its body only once the body is needed. */
import type { FastifyRequest } from 'fastify'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Continuation } from './body.js'

/**
 * Replaces Node's handling, which requests every body immediately. A request that is refused earlier (key, scope,
 * declared size) is answered without its body. Its connection is closed, since the client may or may not send the body.
 */
export function acceptExpectations(server: Server): Continuation {
  const waiting = new WeakMap<IncomingMessage, ServerResponse>()
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    response.shouldKeepAlive = false
    server.emit('request', request, response)
  })
  // Other expectations may be ignored (RFC 9110, 10.1.1). Node would answer 417 without the
  // envelope.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return {
    awaits: ({ raw }: FastifyRequest) => waiting.has(raw),
    proceed({ raw }) {
      const response = waiting.get(raw)
      if (!response) return
      waiting.delete(raw)
      response.shouldKeepAlive = true
      response.writeContinue()
    },
  }
}
