/** What is known of a batch from what its stream said, also when the stream was lost. Pure. */
import { ApiError, type Action } from '@phonerack/shared'

export interface BatchKnown {
  /** Entries as the agent streamed them, in order. */
  results: unknown[]
  /** Index of the last action said to have started; -1 for none. */
  started: number
  /** Milliseconds since that start was said. */
  sinceStartMs: number
}

const isOk = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && 'ok' in entry && entry.ok === true

export const countOk = (results: readonly unknown[]): number => results.filter(isOk).length

/**
 * The results of a batch whose stream was lost, or null when nothing at all is known. The action that had started
 * is `action_outcome_unknown`; so is the next one when the last said to have started had
 * finished well, since the word of its start may be what was lost.
 */
export function resultsOfLostBatch(actions: readonly Action[], known: BatchKnown): unknown[] | null {
  const { results, started } = known
  if (started < 0 && results.length === 0) return null
  const unknown = started >= results.length ? started : results.every(isOk) ? results.length : null
  const action = unknown === null ? undefined : actions[unknown]
  if (unknown === null || !action) return results
  const ms = unknown === started ? Math.round(known.sinceStartMs) : 0
  const error = new ApiError('action_outcome_unknown', { next: 'Observe the screen before acting again.' })
  return [...results, { index: unknown, type: action.type, ok: false, ms, error: error.toPlain() }]
}
