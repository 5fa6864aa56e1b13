/** Words for what keeps a device from work. Used by `runner.ts`, `link-watch.ts` and `devices/`. */
import { ApiError } from '@phonerack/shared'

/** `reason`: why a phone that was enrolled is not used; null: it never was. */
export const notEnrolled = (serial: string, reason: string | null = null): ApiError =>
  new ApiError('phone_unavailable', {
    message:
      reason === null
        ? 'This host has no record of the enrolment of the device.'
        : `This device is not in use under ${serial}: ${reason}.`,
    retryable: false,
    details: { serial },
  })

/** What it says, and what it says was behind it. */
export function reasonOf(error: unknown): string {
  const said: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) said.push(at.message)
  return said.join(': ').slice(0, 300) || 'unknown'
}
