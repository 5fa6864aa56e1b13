/** Recognises that Postgres has no capacity for a request, and creates the client's error. */
import { ApiError } from '@phonerack/shared'
import { isRepeatable } from './database.js'
import { sqlStateOf } from './sql-state.js'

/** Seconds until the client may retry. */
const retryAfter = 2

/** An error of `pg-pool`, which has no code. */
const noFreeConnection = 'timeout exceeded when trying to connect'

/** too_many_connections, lock_not_available, query_canceled (statement timeout). */
const busyStates = ['53300', '55P03', '57014']

/**
 * True if no connection became free before the timeout, or a transaction or statement timed out or ran out of retries.
 * Postgres rolled back that transaction or statement, but other statements of the same request may be committed.
 */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.message === noFreeConnection) return true
  // Prisma's code for a transaction that could not begin or end before its timeout.
  if ('code' in error && error.code === 'P2028') return true
  return isRepeatable(error) || busyStates.includes(sqlStateOf(error) ?? '')
}

/** For a request of which nothing was done, or that can be repeated safely. */
export const tooBusy = (cause: unknown, next = 'Wait 2 seconds, then send the request again.'): ApiError =>
  new ApiError('service_unavailable', { next, retryAfterSeconds: retryAfter, cause })

/** For a write that may be partly done, such as a phone that was created but could not be read. */
export const tooBusyToTell = (cause: unknown): ApiError =>
  new ApiError('service_unavailable', {
    message: 'The service was too busy to finish the request. The change may or may not have been made.',
    next: 'Wait 2 seconds and read what the request would have changed. If it was not done, send it again.',
    retryable: false,
    retryAfterSeconds: retryAfter,
    cause,
  })
