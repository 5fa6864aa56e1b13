/** The error of a request into a phone while the database cannot be read. */
import { ApiError } from '@phonerack/shared'

/** The database is unreachable: nothing was done, and a repetition may succeed soon. */
export const controlOutOfReach = (cause: unknown, details: Record<string, unknown> = {}): ApiError =>
  new ApiError('phone_unavailable', {
    details: { ...details, retry_after_seconds: 2 },
    retryAfterSeconds: 2,
    cause,
  })
