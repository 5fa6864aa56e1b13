/**
 * Texts for the `next` field of a failed action. The answer of a stopped batch contains an observation, so `next`
 * refers to the observation. When the screen could not be read, or the client has only the streamed result, `next`
 * advises a new observation. Pure.
 */
import type { ActionResult } from '@phonerack/shared'

interface Advice {
  /** For an answer without an observation, and for streamed results. */
  withoutObservation: string
  /** For an answer that contains an observation. */
  withObservation: string
}

export const repeatedAdvice =
  'The same action was sent before and nothing was drawn after it. Do something else: scroll, close a dialog, press back, or target another element. Take a screenshot if the elements do not show why.'

export const advice = {
  target_not_found: {
    withoutObservation: 'Observe the screen and target an element on it.',
    withObservation: 'Target an element of `observation`.',
  },
  ambiguous_target: {
    withoutObservation: 'Observe the screen and target one of the candidates by its ref.',
    withObservation: 'Target one of the elements of `observation` by its ref.',
  },
  ambiguous_text: {
    withoutObservation: 'Observe the screen and target one of the candidates by its ref, or add `nth`.',
    withObservation: 'Target one of the elements of `observation` by its ref, or add `nth`.',
  },
  stale_snapshot: {
    withoutObservation: 'Observe the screen again and use its refs.',
    withObservation: 'Target a ref of `observation` with its `snapshot_id`.',
  },
  unknown: {
    withoutObservation: 'Observe the screen to see the result before sending more actions.',
    withObservation: 'Check the result in `observation` before sending more actions.',
  },
  not_typed: {
    withoutObservation: 'Observe the screen, then clear the field and type again.',
    withObservation: 'Check the text of the field in `observation`, then type again with `clear`.',
  },
  not_there: {
    withoutObservation: 'Observe the screen to see its content.',
    withObservation: 'Check `observation` for the current screen; wait longer, or for a different condition.',
  },
} as const satisfies Record<string, Advice>

const nextWithObservation: ReadonlyMap<string, string> = new Map(
  Object.values(advice).map(({ withoutObservation, withObservation }) => [
    withoutObservation,
    withObservation,
  ]),
)

/** Replaces the `next` of a result whose answer contains an observation. */
export function adviseWithObservation(result: ActionResult): ActionResult {
  const { error } = result
  const next = error?.next == null ? undefined : nextWithObservation.get(error.next)
  if (!error || next === undefined) return result
  const named = next.replace(
    'one of the elements of `observation` by its ref',
    'one of `details.candidates` by its ref with `details.snapshot_id`',
  )
  return { ...result, error: { ...error, next: error.details['snapshot_id'] === undefined ? next : named } }
}
