/** Repeats reads of a phone for up to 15 s. A read changes nothing, so repeating it does no harm. */
import { ApiError, DeadlineExceeded, Progress } from '@phonerack/shared'
import { CallFailure } from '../../links/host-calls/calls.js'
import { phoneUnavailable } from '../../rental/phones/target.js'
import { type CallContext } from '../../base/core/caller.js'

/** Milliseconds for the whole read. */
const totalMs = 15_000
const firstPauseMs = 100
const longestPauseMs = 1000

/**
 * Calls `read` until it returns, looking up the target again each time.
 * @throws ApiError the agent's own error; phone_unavailable when the agent could not be reached;
 * provider_timeout when it did not answer; provider_error when its response is invalid
 */
export async function retryRead<T>(
  phoneId: string,
  context: CallContext,
  read: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = Progress.for(totalMs, context.signal)
  let pauseMs = firstPauseMs
  for (;;) {
    let failure: unknown
    try {
      return await read(progress)
    } catch (error) {
      failure = readFailure(phoneId, error)
      if (!isWorthRepeating(error) || progress.remaining <= pauseMs || context.signal.aborted) throw failure
    }
    // A timer may fire late, so the time can end within the pause.
    await progress.sleep(pauseMs).catch((error: unknown) => {
      throw error instanceof DeadlineExceeded ? failure : error
    })
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}

function isWorthRepeating(error: unknown): boolean {
  if (!(error instanceof CallFailure) || error.isHostFault) return false
  return (
    error.answer === null ||
    error.answer.code === 'phone_unavailable' ||
    error.answer.code === 'provider_error'
  )
}

/** Returns the client's error for a failed read. An error that does not come from a call is returned unchanged. */
export function readFailure(phoneId: string, error: unknown): unknown {
  if (!(error instanceof CallFailure)) return error
  if (error.answer) return error.answer
  if (error.isHostFault) return new ApiError('provider_error', { details: { phone: phoneId }, cause: error })
  const options = { details: { phone: phoneId }, cause: error, retryable: true }
  return error.timedOut ? new ApiError('provider_timeout', options) : phoneUnavailable(phoneId)
}
