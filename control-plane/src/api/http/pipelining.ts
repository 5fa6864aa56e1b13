/**
 * Bounds the requests of one connection that wait for an answer. Node starts every request that a client sends without waiting,
 * and keeps their answers in memory until the client reads them.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Browsers and proxies wait for the answer to each request, or use connections of HTTP/2. */
export const pipelinedAtMost = 32

/** Closes a connection with more requests in flight. Add it before any other hook. */
export function boundPipelining(app: FastifyInstance): void {
  const inFlight = new WeakMap<Socket, number>()
  app.addHook('onRequest', ({ socket }, reply, done) => {
    const count = (inFlight.get(socket) ?? 0) + 1
    inFlight.set(socket, count)
    reply.raw.once('close', () => inFlight.set(socket, (inFlight.get(socket) ?? 1) - 1))
    if (count <= pipelinedAtMost) return done()
    // Nothing of this request runs.
    reply.hijack()
    socket.destroy()
  })
}
