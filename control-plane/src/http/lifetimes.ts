/**
 * Signals that end a request's work: its client has gone, or the server stops.
 * A stopping server ends waits at once, so that they answer with the phone as
 * it is, and work inside a phone a little later.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Milliseconds that requests into a phone get to end when the server stops. */
const stopGraceMs = 3000

export interface Lifetimes {
  /** For waiting. */
  wait(reply: FastifyReply): AbortSignal
  /** For work inside a phone. */
  work(reply: FastifyReply): AbortSignal
}

export function trackLifetimes(app: FastifyInstance): Lifetimes {
  const waits = new Set<AbortController>()
  const works = new Set<AbortController>()
  let stopping = false
  let grace: NodeJS.Timeout | undefined

  const signal = (kind: Set<AbortController>, reply: FastifyReply): AbortSignal => {
    const controller = new AbortController()
    kind.add(controller)
    reply.raw.once('close', () => {
      kind.delete(controller)
      if (!reply.raw.writableEnded) controller.abort()
    })
    if (stopping && kind === waits) controller.abort()
    return controller.signal
  }
  const abortAll = (kind: Set<AbortController>): void => kind.forEach((controller) => controller.abort())

  app.addHook('preClose', (done) => {
    stopping = true
    abortAll(waits)
    grace = setTimeout(() => abortAll(works), stopGraceMs)
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearTimeout(grace)
    done()
  })
  return { wait: (reply) => signal(waits, reply), work: (reply) => signal(works, reply) }
}
