/**
 * Signals that end a request's work: its client has gone, or the server stops. A stopping server
 * ends waits immediately, so that they return the phone's current state, and calls into a phone a
 * little later.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Milliseconds that calls into a phone get to end when the server stops. */
const stopGraceMs = 2000

/** Milliseconds after which connections that are still in use are closed. */
const stopLimitMs = 3000

export interface Lifetimes {
  /** For waits. */
  wait(reply: FastifyReply): AbortSignal
  /** For calls into a phone. */
  work(reply: FastifyReply): AbortSignal
}

export function trackLifetimes(app: FastifyInstance): Lifetimes {
  const waits = new Set<AbortController>()
  const works = new Set<AbortController>()
  let stopping = false
  const stopTimers: NodeJS.Timeout[] = []

  const signal = (kind: Set<AbortController>, reply: FastifyReply): AbortSignal => {
    const controller = new AbortController()
    // `close` was already emitted and will not be again.
    if (reply.raw.destroyed) {
      controller.abort()
      return controller.signal
    }
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
    stopTimers.push(
      setTimeout(() => abortAll(works), stopGraceMs),
      setTimeout(() => app.server.closeAllConnections(), stopLimitMs),
    )
    done()
  })
  app.addHook('onClose', (_app, done) => {
    stopTimers.forEach(clearTimeout)
    done()
  })
  return { wait: (reply) => signal(waits, reply), work: (reply) => signal(works, reply) }
}
