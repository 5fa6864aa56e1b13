/** The calling phone, and the errors of an unreachable phone. Used by `gate.ts`. */
import { ApiError, DeadlineExceeded, Progress } from '@phonerack/shared'
import { isDisconnect } from '../base/device-gone.js'

/** The calling phone and its fencing number. */
export interface Caller {
  phoneId: string
  /** The tenant that owns the phone; empty when unknown. */
  tenant: string
  /**
   * Whether the phone ran before, so that its data must be on the device. Older control planes do not send this field.
   */
  hasData?: boolean | undefined
  fencingNumber: bigint
  requestId: string
}

/** Returns the caller's progress, which the signals can abort early. */
export const joined = (progress: Progress, ...held: readonly AbortSignal[]): Progress =>
  Progress.for(progress.remaining, progress.signal, ...held)

/** Whether a retry may resolve the error. */
export const isUnreachable = (error: unknown): boolean =>
  isDisconnect(error) ||
  error instanceof DeadlineExceeded ||
  (error instanceof ApiError && error.code === 'phone_unavailable')
