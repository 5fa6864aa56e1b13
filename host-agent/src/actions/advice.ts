/**
 * The `next` of a failed action. A batch that stopped includes the screen, so no new
 * observation is needed; one is advised only where the screen could not be read, or
 * where the answer is lost on its way. Pure.
 */
import type { ActionResult } from '@phonerack/shared'

interface Advice {
  /** When the answer has no fresh observation. */
  blind: string
  /** When it has one. */
  seen: string
}

export const advice = {
  target_not_found: {
    blind: 'Observe the screen and target an element on it.',
    seen: 'Target an element of `observation`.',
  },
  ambiguous_target: {
    blind: 'Observe the screen and target one of the candidates by its ref.',
    seen: 'Target one of the elements of `observation` by its ref.',
  },
  ambiguous_text: {
    blind: 'Observe the screen and target one of the candidates by its ref, or add `nth`.',
    seen: 'Target one of the elements of `observation` by its ref, or add `nth`.',
  },
  stale_snapshot: {
    blind: 'Observe the screen again and use its refs.',
    seen: 'Target a ref of `observation` with its `snapshot_id`.',
  },
  unknown: {
    blind: 'Observe the screen to see the result before sending more actions.',
    seen: 'Check the result in `observation` before sending more actions.',
  },
  not_typed: {
    blind: 'Observe the screen, then clear the field and type again.',
    seen: 'Check the text of the field in `observation`, then type again with `clear`.',
  },
  not_there: {
    blind: 'Observe the screen to see its content.',
    seen: 'Check `observation` for the current screen; wait longer, or for a different condition.',
  },
} as const satisfies Record<string, Advice>

const seenFor: ReadonlyMap<string, string> = new Map(
  Object.values(advice).map(({ blind, seen }) => [blind, seen]),
)

/** The result for an answer with an observation. */
export function adviseBySight(result: ActionResult): ActionResult {
  const { error } = result
  const next = error?.next == null ? undefined : seenFor.get(error.next)
  if (!error || next === undefined) return result
  const named = next.replace(
    'one of the elements of `observation` by its ref',
    'one of `details.candidates` by its ref with `details.snapshot_id`',
  )
  return { ...result, error: { ...error, next: error.details['snapshot_id'] === undefined ? next : named } }
}
