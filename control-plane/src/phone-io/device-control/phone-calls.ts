/** Makes one unary call into a ready phone: a read, which may be repeated, or a write, which is sent once. */
import { type Assignment } from '@phonerack/proto'
import { ApiError, Progress, type ErrorDetails } from '@phonerack/shared'
import { CallFailure, callHost, type Unary } from '../../links/host-calls/calls.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Core } from '../../base/core/core.js'
import { conflictOr } from '../../rental/phones/conflict-after-call.js'
import { retryRead } from './reads.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { phoneUnavailable, readyTarget, writableTarget } from '../../rental/phones/target.js'
import { type CallContext, type Caller } from '../../base/core/caller.js'

/** Milliseconds for one try of a read, and for a write including its wait in the queue. */
const times = { read: 15_000, write: 90_000 }

/** A caller's request to a phone. */
export interface PhoneRequest {
  caller: Caller
  phoneId: string
  context: CallContext
}

interface PhoneCalls {
  /** Repeats the call for up to 15 s. */
  read<Q, A>(to: PhoneRequest, method: Unary<Q, A>, request: (assignment: Assignment) => Q): Promise<A>
  /**
   * Sends the call once and lets it finish even when the client disconnects. `next`: the request
   * that shows the outcome. @throws ApiError phone_controlled; phone_unavailable when nothing was
   * sent; action_outcome_unknown when no response came
   */
  write<Q, A>(
    to: PhoneRequest,
    method: Unary<Q, A>,
    request: (assignment: Assignment) => Q,
    next: string,
  ): Promise<A>
}

export function createPhoneCalls(core: Core, hosts: HostClients): PhoneCalls {
  return {
    read: ({ caller, phoneId, context }, method, request) =>
      retryRead(phoneId, context, async (progress) => {
        const target = await readyTarget(core, hosts, caller, phoneId, context.signal)
        const message = request(assignmentOf(phoneId, target, context.requestId))
        return callHost(target.connection, method, message, progress.within(times.read))
      }),

    async write({ caller, phoneId, context }, method, request, next) {
      const target = await writableTarget(core, hosts, caller, phoneId, context.signal)
      try {
        const message = request(assignmentOf(phoneId, target, context.requestId))
        return await callHost(target.connection, method, message, Progress.for(times.write))
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error
        const refusal = refusalOf(error, phoneId, next)
        throw refusal.code === 'phone_unavailable' ? await conflictOr(core, phoneId, refusal) : refusal
      }
    },
  }
}

/**
 * Converts a failed write to the client's error: nothing was done, the agent's own error, or
 * `action_outcome_unknown`. `next`: the request that shows the outcome; `details`: added to an
 * unknown outcome, in addition to the phone.
 */
export function refusalOf(
  failure: CallFailure,
  phoneId: string,
  next: string,
  details: ErrorDetails = {},
): ApiError {
  const { answer, sent } = failure
  if (!sent) return phoneUnavailable(phoneId)
  if (answer && answer.code !== 'provider_timeout') {
    return answer.code === 'action_outcome_unknown' && answer.next === null
      ? new ApiError(answer.code, { ...answer.toPlain(), next })
      : answer
  }
  return new ApiError('action_outcome_unknown', {
    next,
    details: { phone: phoneId, ...details },
    cause: failure,
  })
}
