/**
 * The result of a lifecycle transaction. A refusal also commits, so that the request counts toward
 * the rate limit.
 */
import { type ApiError } from '@phonerack/shared'

export type Outcome<T> = { done: T } | { refused: ApiError }

export const refuse = (refused: ApiError): { refused: ApiError } => ({ refused })

/** @throws ApiError when the transaction refused the request */
export function settle<T>(outcome: Outcome<T>): T {
  if ('refused' in outcome) throw outcome.refused
  return outcome.done
}
