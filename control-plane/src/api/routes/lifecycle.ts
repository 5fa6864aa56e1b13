/** Waits after a write: create, start and park. */
import { ApiError } from '@phonerack/shared'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/auth.js'
import type { RouteDeps } from './deps.js'
import { failureOf } from './waiting.js'
import { type PhoneView } from '../../rental/phones/types.js'

/**
 * Returns the phone once it is `settled`, or its state when the wait ends. The write is already done, so a wait that
 * fails or exceeds the key's limit returns the last known state. @throws PhoneFailure when the phone fails during the
 * wait
 */
export async function waitAfterWrite(
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  phone: PhoneView,
  settled: (phone: PhoneView) => boolean,
): Promise<PhoneView> {
  if (settled(phone)) {
    if (phone.status === 'failed') throw failureOf(phone)
    return phone
  }
  const { services, lifetimes, lifecycleWaitMs } = deps
  if (!deps.waits.tryHold(callerOf(request), reply)) return phone
  const later = await services.phones
    .wait(phone.id, settled, lifecycleWaitMs, lifetimes.wait(reply))
    .catch((error: unknown) => {
      request.log.error({ err: error, request_id: request.id, phone: phone.id }, 'a wait was interrupted')
      return phone
    })
  if (later.status === 'failed') throw failureOf(later)
  return later
}

/** Counts the request as activity. A failure to record it does not fail the request. */
export async function noteActivity(
  { services }: RouteDeps,
  request: FastifyRequest,
  phoneId: string,
): Promise<void> {
  try {
    await services.phones.touch(callerOf(request), phoneId)
  } catch (error) {
    request.log.warn({ err: error, request_id: request.id, phone: phoneId }, 'could not record activity')
  }
}

/**
 * Counts the request as activity with any result, since it names a phone that its key may use. @param ownCodes
 * errors that can only occur after that check
 */
export async function noted<T>(
  deps: RouteDeps,
  request: FastifyRequest,
  phoneId: string,
  ownCodes: RegExp,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const done = await work()
    await noteActivity(deps, request, phoneId)
    return done
  } catch (error) {
    if (error instanceof ApiError && ownCodes.test(error.code)) await noteActivity(deps, request, phoneId)
    throw error
  }
}
