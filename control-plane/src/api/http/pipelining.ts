/**
 * Bounds the requests of one connection that wait for an answer. Node starts every pipelined request immediately, and
 * keeps the answers in memory until the client reads them.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Browsers and proxies wait for the answer to each request, or use connections of HTTP/2. */
export const pipelinedAtMost = 32

/** Closes a connection with more requests in flight. Must be added before any other hook. */
export function boundPipelining(app: FastifyInstance): void {
  const inFlight = new WeakMap<Socket, number>()
  app.addHook('onRequest', ({ socket }, reply, done) => {
    const count = (inFlight.get(socket) ?? 0) + 1
    inFlight.set(socket, count)
    reply.raw.once('close', () => inFlight.set(socket, (inFlight.get(socket) ?? 1) - 1))
    if (count <= pipelinedAtMost) return done()
    // No hook and no handler of this request runs.
    reply.hijack()
    socket.destroy()
  })
}
