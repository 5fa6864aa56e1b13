/** What a request into a phone is told when nothing could be looked up for it. */
import { ApiError } from '@phonerack/shared'

/** Our own tables cannot be read: nothing was done, and soon it may be. */
export const controlOutOfReach = (cause: unknown, details: Record<string, unknown> = {}): ApiError =>
  new ApiError('phone_unavailable', {
    details: { ...details, retry_after_seconds: 2 },
    retryAfterSeconds: 2,
    cause,
  })
