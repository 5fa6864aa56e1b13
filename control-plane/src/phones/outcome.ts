/** What a lifecycle transaction comes to: a refusal still commits, so that the request counts toward the limit. */
import { type ApiError } from '@phonerack/shared'

export type Outcome<T> = { done: T } | { refused: ApiError }

export const refuse = (refused: ApiError): { refused: ApiError } => ({ refused })

/** @throws ApiError the refusal */
export function settle<T>(outcome: Outcome<T>): T {
  if ('refused' in outcome) throw outcome.refused
  return outcome.done
}
