/** Requests that reach into a phone keep it active until they end. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/auth.js'
import type { CallContext } from '../services.js'
import type { RouteDeps } from './deps.js'

export async function whileActive<T>(
  { services, lifetimes }: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  phoneId: string,
  work: (context: CallContext) => Promise<T>,
): Promise<T> {
  const caller = callerOf(request)
  const mayHold =
    caller.preset !== 'read-only' && (caller.phoneIds === null || caller.phoneIds.includes(phoneId))
  const release = mayHold ? services.phones.hold(caller, phoneId) : undefined
  try {
    return await work({ requestId: request.id, signal: lifetimes.work(reply) })
  } finally {
    release?.()
  }
}
