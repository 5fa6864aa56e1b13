/**
 * Signals that end a request's work because its client has closed the connection, or because the server stops. A
 * stopping server ends waits immediately, so that they return the phone's current state, and closes each connection
 * after its response. Other requests get `stopWithinMs` to finish. Connections that never sent a request are closed
 * after `firstRequestMs`, because Node counts them as busy.
 */
import { ServerStopping } from '../../base/core/server-stopping.js'
import { connectionEvents } from '../../base/connection-events.js'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The default of `PHONERACK_STOP_WITHIN`. */
const defaultStopWithinMs = 30_000

/** Milliseconds that a request whose work was aborted gets to answer. */
const answerMs = 1000
/** Milliseconds in which a connection without a request may still send its first request. */
const firstRequestMs = 500

export interface Lifetimes {
  /**
   * The signal for waits. @param withinMs milliseconds after which it also aborts. The timer is not
   * `AbortSignal.timeout`, which Node.js collects when only `AbortSignal.any` refers to it
   */
  wait(reply: FastifyReply, withinMs?: number): AbortSignal
  /** The signal for calls into a phone, transfers and transactions. */
  work(reply: FastifyReply): AbortSignal
}

/** Also sets `app.lifetimes`. @param stopWithinMs milliseconds that running requests get when the server stops */
export function trackLifetimes(app: FastifyInstance, stopWithinMs = defaultStopWithinMs): Lifetimes {
  const waits = new Set<AbortController>()
  const works = new Set<AbortController>()
  let stopping = false
  const stopTimers: NodeJS.Timeout[] = []
  const open = trackOpen(app.server)
  spareUnsent(app.server, open)

  const signal = (kind: Set<AbortController>, reply: FastifyReply, withinMs?: number): AbortSignal => {
    const controller = new AbortController()
    // `close` was already emitted for this connection.
    if (reply.raw.destroyed) {
      controller.abort()
      return controller.signal
    }
    kind.add(controller)
    const timer = withinMs === undefined ? undefined : setTimeout(() => controller.abort(), withinMs)
    reply.raw.once('close', () => {
      clearTimeout(timer)
      kind.delete(controller)
      if (!reply.raw.writableEnded) controller.abort()
    })
    if (stopping && kind === waits) controller.abort(new ServerStopping())
    return controller.signal
  }
  const abortAll = (kind: Set<AbortController>): void =>
    kind.forEach((controller) => controller.abort(new ServerStopping()))

  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done()
  })
  // A response whose headers were sent before the stop leaves an idle connection.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (stopping) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
  app.addHook('preClose', (done) => {
    stopping = true
    abortAll(waits)
    stopTimers.push(
      setTimeout(() => closeSilent(open), firstRequestMs),
      setTimeout(() => abortAll(works), stopWithinMs),
      setTimeout(() => app.server.closeAllConnections(), stopWithinMs + answerMs),
    )
    done()
  })
  app.addHook('onClose', (_app, done) => {
    stopTimers.forEach(clearTimeout)
    done()
  })
  const lifetimes: Lifetimes = {
    wait: (reply, withinMs) => signal(waits, reply, withinMs),
    work: (reply) => signal(works, reply),
  }
  app.decorate('lifetimes', lifetimes)
  return lifetimes
}

/**
 * Returns the open connections. After an offered upgrade, the server emits `connection` for the same socket again
 * (`http/upgrades.ts`).
 */
export function trackOpen(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  for (const event of connectionEvents(server))
    server.on(event, (socket: Socket) => {
      if (open.has(socket)) return
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
  return open
}

/** Closes the connections that have not sent any bytes. */
function closeSilent(open: ReadonlySet<Socket>): void {
  for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
}

/**
 * Node counts a connection as idle once its response is complete in memory, and `close` then discards the bytes that
 * the client has not read: downloads would be cut. Such a connection is closed after its last byte.
 */
function spareUnsent(server: Server, open: ReadonlySet<Socket>): void {
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    const unsent: Partial<Socket>[] = [...open].filter(({ writableLength }) => writableLength > 0)
    for (const socket of unsent) socket.destroy = () => socket as Socket
    closeIdle()
    // Restores the method of the class.
    for (const socket of unsent) delete socket.destroy
  }
}
