/**
 * What a host is asked to observe so that a step has its screen, and the answer that the client asked for, from that. Pure.
 */
import {
  type ActionBatchResult,
  type ActionResult,
  type Observation,
  type ObservationScreenshot,
  type ObserveMode,
} from '@phonerack/shared'
import { type StepSettings } from '../core/caller.js'

/** The mode for the host. No mode adds a read of the screen, except for pictures of every step. */
export function recordedMode(observe: ObserveMode, { pictures }: StepSettings): ObserveMode {
  if (pictures === 'every') return 'both'
  return observe === 'text' ? 'ui' : observe
}

export interface BatchAnswer {
  /** For the client, as UTF-8 JSON. */
  json: Uint8Array
  results: ActionResult[]
  completed: number
  /** With elements; null: none was read. */
  observation: Observation | null
  picture: ObservationScreenshot | null
}

/** The JSON of an answer is `{"results":[…],"completed":1,"observation":{…}}`; `observation` may be missing. */
export function readAnswer(
  json: Uint8Array,
  batch: { observe: ObserveMode; count: number },
  mode: ObserveMode,
): BatchAnswer {
  const whole = JSON.parse(Buffer.from(json).toString('utf8')) as ActionBatchResult
  const { results, completed, observation: seen } = whole
  const isStopped = completed < batch.count
  const shown = seen && shownOf(seen as Partial<Observation>, batch.observe, isStopped)
  const changed = mode !== batch.observe
  return {
    json: changed
      ? Buffer.from(JSON.stringify({ results, completed, ...(shown ? { observation: shown } : {}) }))
      : json,
    results,
    completed,
    observation: seen !== undefined && 'elements' in seen ? seen : null,
    picture: seen !== undefined && 'screenshot' in seen ? (seen.screenshot ?? null) : null,
  }
}

/** The part of a full observation that the mode has, by the table of `POST …/actions`. */
function shownOf(
  seen: Partial<Observation>,
  observe: ObserveMode,
  isStopped: boolean,
): object | null {
  const { screenshot, ...screen } = seen
  const { elements: _, ...text } = screen
  switch (observe) {
    case 'none':
      return isStopped ? screen : null
    case 'ui':
      return screen
    case 'text':
      return text
    case 'screenshot':
      return isStopped ? seen : { taken_at: seen.taken_at, screenshot }
    case 'both':
      return seen
  }
}
