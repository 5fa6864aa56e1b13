/** Words for what keeps a device from work. Used by `supervisor.ts` and `phone/`. */
import { ApiError } from '@phonerack/shared'

export const notEnrolled = (serial: string): ApiError =>
  new ApiError('phone_unavailable', {
    message: 'This host has no record that the device was enrolled.',
    retryable: false,
    details: { serial },
  })

/** What it says, and what it says was behind it. */
export function reasonOf(error: unknown): string {
  const said: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) said.push(at.message)
  return said.join(': ').slice(0, 300) || 'unknown'
}
