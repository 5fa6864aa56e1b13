/** Error messages for devices that cannot be used. Used by `runner.ts`, `link-watch.ts` and `devices/`. */
import { ApiError } from '@phonerack/shared'

/** @param reason why an enrolled phone is not used; null when the phone was never enrolled */
export const notEnrolled = (serial: string, reason: string | null = null): ApiError =>
  new ApiError('phone_unavailable', {
    message:
      reason === null
        ? 'This host has no record of the enrolment of the device.'
        : `This device is not in use under ${serial}: ${reason}.`,
    retryable: false,
    details: { serial, reason: 'not_enrolled' },
  })

/** Returns the error's message and the message of its cause. */
export function reasonOf(error: unknown): string {
  const messages: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message)
  return messages.join(': ').slice(0, 300) || 'unknown'
}
