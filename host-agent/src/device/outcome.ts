/**
 * Tells a write that never left from one whose end nobody saw. Used by the
 * implementations of capabilities around the step that changes the phone.
 */
import { ApiError, DeadlineExceeded } from '@phonerack/shared'
import { DeviceGone } from './device.js'

/**
 * Runs the step that changes the phone and what proves it. From its first byte on, a phone that leaves or
 * does not answer in time leaves the outcome unknown; before, nothing was done and its error says so.
 * @throws ApiError action_outcome_unknown
 */
export async function writing<T>(what: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof DeviceGone) && !(error instanceof DeadlineExceeded)) throw error
    throw new ApiError('action_outcome_unknown', {
      message: `The phone did not confirm ${what}.`,
      cause: error,
    })
  }
}
