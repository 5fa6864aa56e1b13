/** Derives a batch's results from its stream, even when the stream was lost. Pure. */
import { ApiError, type Action } from '@phonerack/shared'

export interface BatchKnown {
  /** Entries as the agent streamed them, in order. */
  results: unknown[]
  /** Index of the last action reported as started; -1: none. */
  started: number
  /** Milliseconds since that report. */
  sinceStartMs: number
}

const isOk = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && 'ok' in entry && entry.ok === true

export const countOk = (results: readonly unknown[]): number => results.filter(isOk).length

/**
 * Returns the results of a batch whose stream was lost, or null if no result is known. The started action
 * becomes `action_outcome_unknown`. If the last action reported as started also finished, the following
 * action becomes `action_outcome_unknown`, since the report of its start may have been lost.
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
