/** For routes that take their body as a stream (`config.streamBody`): its length, and an end to what nobody wants. */
import { type FastifyReply, type FastifyRequest } from 'fastify'

/** Milliseconds that a client may go on sending after it was answered; it may be about to read the answer. */
const leftoverMs = 10_000

/** `Content-Length`, or null when it is not given (chunked). */
export function declaredLength(request: FastifyRequest): number | null {
  const header = request.headers['content-length']
  return header === undefined ? null : Number(header)
}

/** Node discards what is left of an answered request's body; this ends that, with the connection. */
export function boundLeftover(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('finish', () => {
    if (request.raw.complete) return
    const timer = setTimeout(() => request.raw.destroy(), leftoverMs)
    request.raw.once('close', () => clearTimeout(timer))
  })
}
