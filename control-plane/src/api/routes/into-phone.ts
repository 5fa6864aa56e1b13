/** Keeps a phone active while requests into it run. */
import { pause } from '@phonerack/shared'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/auth.js'
import { phoneIdOf, type RouteDeps } from './deps.js'
import { noteActivity } from './lifecycle.js'
import { type Caller, type CallContext } from '../../base/core/caller.js'

/** Milliseconds that a finished call waits for the record of its activity. */
const recordMs = 2000

export async function whileActive<T>(
  deps: RouteDeps,
  request: FastifyRequest & { params: { id: string } },
  reply: FastifyReply,
  work: (caller: Caller, phoneId: string, context: CallContext) => Promise<T>,
): Promise<T> {
  const phoneId = phoneIdOf(request.params)
  const caller = callerOf(request)
  const call = (): Promise<T> =>
    work(caller, phoneId, { requestId: request.id, signal: deps.lifetimes.work(reply) })
  // The call refuses a phone that the key must not use, and such a request does not count as activity.
  if (caller.phoneIds && !caller.phoneIds.includes(phoneId)) return call()
  const noted = noteActivity(deps, request, phoneId)
  const release = deps.services.phones.hold(caller, phoneId)
  if (caller.effects) caller.effects.mayHaveBegun = true
  try {
    return await call()
  } finally {
    release()
    await withinMoment(noted)
  }
}

/**
 * Waits for the record of activity for at most `recordMs`, because Postgres can be slower than
 * the client waits.
 */
async function withinMoment(recorded: Promise<void>): Promise<void> {
  const waiting = new AbortController()
  await Promise.race([recorded, pause(recordMs, waiting.signal)])
  waiting.abort()
}
