/** The result of a batch. Used by `phone.ts`. */
import { actionErrorOf } from './action-errors.js'
import type { ActionBatchResult, RunActionsBody, TextObservation } from './generated/types.gen.js'
import { Changes, Observation } from './observation.js'
import type { ActResult } from './phone-options.js'

/** Whether the screen after the batch is compared with an earlier screen. */
export const isCompared = (observe: RunActionsBody['observe']): boolean =>
  observe === 'changes' || observe === 'auto'

/** The snapshot of the screen after the batch; undefined: the answer has none. */
export const snapshotOf = ({ observation }: ActionBatchResult): string | undefined =>
  observation !== undefined && 'snapshot_id' in observation ? observation.snapshot_id : undefined

type Seen = Extract<NonNullable<ActionBatchResult['observation']>, { text: string }>

const isWithElements = (seen: Seen): seen is Exclude<Seen, TextObservation> =>
  'elements' in seen || 'same' in seen

/** @throws ActionError for the action that failed */
export function actResultOf(
  raw: ActionBatchResult,
  observe: RunActionsBody['observe'],
  requestId: string | null,
): ActResult {
  const seen = raw.observation !== undefined && 'text' in raw.observation ? raw.observation : null
  const observation = seen && new Observation(seen)
  const failed = raw.results.find(({ ok }) => !ok)
  if (failed) throw actionErrorOf(failed, { observation, raw, requestId })
  if (!isCompared(observe)) return { results: raw.results, observation, changes: null, raw }
  const changes = seen && isWithElements(seen) ? new Changes(seen) : null
  return { results: raw.results, observation: null, changes, raw }
}
