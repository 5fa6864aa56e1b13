/**
 * Distinguishes a write that was never sent from a write with an unknown outcome. Used by
 * implementations of capabilities around the step that changes the phone.
 */
import { ApiError, DeadlineExceeded } from '@phonerack/shared'
import { AdbFileRefused } from '../errors.js'
import { DeviceGone } from './device.js'

/**
 * Runs and confirms a step that changes the phone. After the first byte, a disconnect, a timeout or a refused
 * confirmation leaves the outcome unknown.
 * @throws ApiError action_outcome_unknown
 */
export async function writing<T>(what: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    const isOpen =
      error instanceof DeviceGone || error instanceof DeadlineExceeded || error instanceof AdbFileRefused
    if (!isOpen) throw error
    throw new ApiError('action_outcome_unknown', {
      message: `The phone did not confirm ${what}.`,
      cause: error,
    })
  }
}
