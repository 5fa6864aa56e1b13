/**
 * Chooses the host's observe mode, so that a step has its screen, and cuts the answer to the mode that the
 * client requested. Pure.
 */
import {
  type ActionBatchResult,
  type ActionResult,
  type Observation,
  type ObservationScreenshot,
} from '@phonerack/shared'
import { type StepSettings } from '../../base/core/caller.js'
import { type HostMode } from './host-mode.js'
import { withElements } from './text-elements.js'

/**
 * The observe mode that the host gets. A screen is read in addition only where the project asks for pictures
 * of every step.
 */
export const recordedMode = (observe: HostMode, { pictures }: StepSettings): HostMode =>
  pictures === 'every' ? 'both' : observe

export interface BatchAnswer {
  /** The answer for the client, as UTF-8 JSON. */
  json: Uint8Array
  results: ActionResult[]
  completed: number
  /** The observation with elements; null if no elements were read. */
  observation: Observation | null
  picture: ObservationScreenshot | null
}

/**
 * Parses an answer. Its JSON is `{"results":[…],"completed":1,"observation":{…}}`; `observation` may be
 * missing.
 * @param bounds of the elements of a text observation
 */
export function readAnswer(
  json: Uint8Array,
  batch: { observe: HostMode; count: number },
  mode: HostMode,
  bounds: Uint8Array,
): BatchAnswer {
  const whole = JSON.parse(Buffer.from(json).toString('utf8')) as ActionBatchResult
  const { results, completed, observation: seen } = whole
  const isStopped = completed < batch.count
  const changed = mode !== batch.observe
  const shown = seen && changed ? shownOf(seen, batch.observe, isStopped) : null
  return {
    json: changed
      ? Buffer.from(JSON.stringify({ results, completed, ...(shown ? { observation: shown } : {}) }))
      : json,
    results,
    completed,
    observation: seen === undefined ? null : observationOf(seen, bounds),
    picture: seen !== undefined && 'screenshot' in seen ? (seen.screenshot ?? null) : null,
  }
}

/**
 * Returns the answer without its observation, for an observation that could not be cut to the client's mode.
 */
export function withoutObservation(json: Uint8Array): Uint8Array {
  const { results, completed } = JSON.parse(Buffer.from(json).toString('utf8')) as ActionBatchResult
  return Buffer.from(JSON.stringify({ results, completed }))
}

function observationOf(
  seen: NonNullable<ActionBatchResult['observation']>,
  bounds: Uint8Array,
): Observation | null {
  if ('elements' in seen) return seen
  return 'text' in seen ? withElements(seen, bounds) : null
}

const screenOf = ({ screenshot: _, ...screen }: Partial<Observation>): object => screen
const textOf = ({ screenshot: _, elements: __, ...text }: Partial<Observation>): object => text

/** Returns the part of a full observation that belongs to the mode, by the table of `POST …/actions`. */
function shownOf(seen: Partial<Observation>, observe: HostMode, isStopped: boolean): object | null {
  switch (observe) {
    case 'none':
      return isStopped ? screenOf(seen) : null
    case 'ui':
      return screenOf(seen)
    case 'text':
      return textOf(seen)
    case 'screenshot':
      return isStopped
        ? seen
        : { taken_at: seen.taken_at, settled: seen.settled, screenshot: seen.screenshot }
    case 'both':
      return seen
  }
}
