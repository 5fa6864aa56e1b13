/** The errors of actions that failed: one class for each family of their codes. */
import { fieldsOf, PhonerackError, type ErrorFields } from './errors.js'
import type { ActionBatchResult, ActionResult } from './generated/types.gen.js'
import type { Observation } from './observation.js'

/** The batch of the failed action. */
export interface FailedBatch {
  /** The screen after the failure; null: the answer has no elements. */
  observation: Observation | null
  /** The answer of the API. */
  raw: ActionBatchResult
  /** The ID of the batch's request. */
  requestId: string | null
}

/** An action of a batch failed, and the later actions did not run. Its subclasses are families of codes; `code` is the exact error. */
export class ActionError extends PhonerackError {
  override readonly name: string = 'ActionError'
  /** Index of the failed action in the batch, from 0. */
  readonly index: number
  /** The number of earlier actions that were carried out. */
  readonly completed: number
  /** The screen after the failure; null: the answer has no elements. */
  readonly observation: Observation | null
  /** The answer of the API. */
  readonly raw: ActionBatchResult

  constructor(
    fields: ErrorFields,
    {
      index,
      observation,
      raw,
      requestId = null,
      isOutcomeUnknown = false,
    }: {
      index: number
      observation: Observation | null
      raw: ActionBatchResult
      /** The ID of the batch's request. */
      requestId?: string | null
      isOutcomeUnknown?: boolean
    },
  ) {
    super(fields, { requestId, isOutcomeUnknown })
    this.index = index
    this.completed = raw.completed
    this.observation = observation
    this.raw = raw
  }

  /** Prints the screen once, as text, because the candidates are lines of that text. */
  protected override facts(): Record<string, unknown> {
    const { index, completed, observation } = this
    const { details, ...facts } = super.facts()
    const others = Object.fromEntries(
      Object.entries(details as Record<string, unknown>).filter(([name]) => name !== 'candidates'),
    )
    const screen = observation === null ? {} : { screen: observation.text.split('\n') }
    return { ...facts, index, completed, details: others, ...screen }
  }
}

/** The target does not lead to one element. Nothing was sent for this action. */
export class TargetError extends ActionError {
  // The type is narrower than in ActionError. Otherwise TypeScript would accept every ActionError as a TargetError.
  override readonly name:
    | 'TargetError'
    | 'TargetNotFoundError'
    | 'AmbiguousTargetError'
    | 'StaleSnapshotError'
    | 'NoFocusedFieldError' = 'TargetError'
}
/** No element matches. `details.candidates` lists similar elements. */
export class TargetNotFoundError extends TargetError {
  override readonly name = 'TargetNotFoundError'
}
/** Several elements match. `details.candidates` lists them. */
export class AmbiguousTargetError extends TargetError {
  override readonly name = 'AmbiguousTargetError'
}
/** The screen has changed since the snapshot of the target. */
export class StaleSnapshotError extends TargetError {
  override readonly name = 'StaleSnapshotError'
}
/** The action types text without a target, but no field has the focus. */
export class NoFocusedFieldError extends TargetError {
  override readonly name = 'NoFocusedFieldError'
}
/** The condition was not met before the timeout. */
export class WaitTimeoutError extends ActionError {
  override readonly name = 'WaitTimeoutError'
}
/** The action is reserved for a person, or a person controls the phone. The action was not carried out. */
export class HandoffError extends ActionError {
  override readonly name = 'HandoffError'
}
/** The phone is unreachable, or did not respond before the timeout. Nothing was sent for this action. */
export class PhoneUnavailableError extends ActionError {
  override readonly name = 'PhoneUnavailableError'
}
/** The action may have been carried out: `isOutcomeUnknown` is true. Observe before you send it again. */
export class OutcomeUnknownError extends ActionError {
  override readonly name = 'OutcomeUnknownError'
}

type Family = readonly [Class: typeof ActionError, type: string]

/**
 * The class and `type` of each code. A failed action has no `type` in the answer, so the table gives the type that the
 * code has in other answers.
 */
const families: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['target_not_found', [TargetNotFoundError, 'invalid_request_error']],
  ['ambiguous_target', [AmbiguousTargetError, 'invalid_request_error']],
  ['stale_snapshot', [StaleSnapshotError, 'invalid_request_error']],
  ['no_focused_field', [NoFocusedFieldError, 'invalid_request_error']],
  ['wait_timeout', [WaitTimeoutError, 'invalid_request_error']],
  ['handoff_required', [HandoffError, 'conflict_error']],
  ['phone_controlled', [HandoffError, 'conflict_error']],
  ['phone_unavailable', [PhoneUnavailableError, 'provider_error']],
  ['provider_timeout', [PhoneUnavailableError, 'provider_error']],
  ['provider_error', [ActionError, 'provider_error']],
  ['action_outcome_unknown', [OutcomeUnknownError, 'provider_error']],
  ['internal_error', [OutcomeUnknownError, 'api_error']],
  ['app_not_found', [ActionError, 'not_found_error']],
])

/** The error of the failed action of a batch: an `ActionError` without a subclass for other codes. */
export function actionErrorOf({ index, error }: ActionResult, batch: FailedBatch): ActionError {
  const [Class, type] = families.get(error?.code ?? '') ?? [ActionError, 'invalid_request_error']
  const isOutcomeUnknown = Class === OutcomeUnknownError
  return new Class(fieldsOf({ type, ...error }), { index, ...batch, isOutcomeUnknown })
}
