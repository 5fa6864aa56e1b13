/** For routes that stream their body (`config.streamBody`): the declared length, and a limit on unread bytes. */
import { type FastifyReply, type FastifyRequest } from 'fastify'

/** Milliseconds that a client may keep sending after the response, which the client has possibly not read yet. */
const leftoverMs = 10_000

/** Returns `Content-Length`, or null for a chunked body. */
export function declaredLength(request: FastifyRequest): number | null {
  const header = request.headers['content-length']
  return header === undefined ? null : Number(header)
}

/**
 * Node reads and discards the rest of an answered request's body. This function limits that by closing the connection.
 */
export function boundLeftover(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('finish', () => {
    if (request.raw.complete) return
    const timer = setTimeout(() => request.raw.destroy(), leftoverMs)
    request.raw.once('close', () => clearTimeout(timer))
  })
}
