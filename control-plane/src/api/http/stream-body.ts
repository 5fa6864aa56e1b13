/**
 * For routes that stream their body (`config.streamBody`): its length, and a limit on unread bytes.
 */
import { type FastifyReply, type FastifyRequest } from 'fastify'

/**
 * Milliseconds that a client may keep sending after the response, which it may still be about to
 * read.
 */
const leftoverMs = 10_000

/** `Content-Length`, or null without one (chunked). */
export function declaredLength(request: FastifyRequest): number | null {
  const header = request.headers['content-length']
  return header === undefined ? null : Number(header)
}

/**
 * Node discards the rest of an answered request's body. This limits that by closing the connection.
 */
export function boundLeftover(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('finish', () => {
    if (request.raw.complete) return
    const timer = setTimeout(() => request.raw.destroy(), leftoverMs)
    request.raw.once('close', () => clearTimeout(timer))
  })
}
