/** Requests that reach into a phone keep it active until they end. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/auth.js'
import type { CallContext } from '../services.js'
import type { RouteDeps } from './deps.js'
import { noteActivity } from './lifecycle.js'

export async function whileActive<T>(
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  phoneId: string,
  work: (context: CallContext) => Promise<T>,
): Promise<T> {
  const caller = callerOf(request)
  const noted = noteActivity(deps, request, phoneId)
  const release = deps.services.phones.hold(caller, phoneId)
  try {
    return await work({ requestId: request.id, signal: deps.lifetimes.work(reply) })
  } finally {
    release()
    await noted
  }
}
