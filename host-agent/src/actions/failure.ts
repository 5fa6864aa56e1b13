/** Maps an action's failure to a client error, which depends on whether the phone may have received anything. */
import {
  ApiError,
  DeadlineExceeded,
  showsTypedText,
  type Candidate,
  type PlainError,
} from '@phonerack/shared'
import { DeviceGone, notDone } from '../base/device-gone.js'
import type { ScreenElement } from '../screen/elements.js'
import { ScreenImageError, ScreenXmlError, unreadable } from '../screen/errors.js'
import type { Size } from '../adb/device/device.js'
import { cutText, showElement } from '../screen/observation.js'
import { advice } from './advice.js'
import { TargetMiss } from './context.js'
import type { Miss } from './target.js'

/** @returns null for a bug */
export function toApiError(error: unknown, wrote: boolean): ApiError | null {
  if (error instanceof TargetMiss) return missError(error.miss)
  if (error instanceof ApiError) return error
  const gone = error instanceof DeviceGone
  const late = error instanceof DeadlineExceeded
  const unread = error instanceof ScreenXmlError || error instanceof ScreenImageError
  if (!gone && !late && !unread) return null
  if (wrote) return unknownOutcome(error)
  if (gone) return notDone(error)
  if (late) return new ApiError('provider_timeout', { cause: error })
  return unreadable(error, ' Nothing was sent for this action.')
}

export const unknownOutcome = (cause: unknown): ApiError =>
  new ApiError('action_outcome_unknown', { next: advice.unknown.withoutObservation, cause })

/**
 * Whether aborting the batch may have caused this error. False for errors about the
 * screen or the app.
 */
export const isCutOff = (error: ApiError | null): boolean =>
  error !== null &&
  ['phone_unavailable', 'provider_timeout', 'provider_error', 'wait_timeout'].includes(error.code)

export function missError(miss: Miss): ApiError {
  const byNth = miss.code === 'ambiguous_target' && 'text' in miss.target
  const { withoutObservation } = byNth ? advice.ambiguous_text : advice[miss.code]
  return new ApiError(miss.code, {
    message: missMessage(miss),
    next: withoutObservation,
    details: { target: miss.target, ...miss.facts, candidates: miss.candidates.map(toCandidate) },
  })
}

/** Maximum number of elements that a message names. */
const maxNamed = 3

/** Returns undefined when the default message of the code applies. */
function missMessage({ code, target, candidates, facts }: Miss): string | undefined {
  if (code !== 'target_not_found') return undefined
  if ('x' in target) {
    const { width, height } = facts['screen'] as Size
    return `The point (${target.x}, ${target.y}) is outside the screen, which is ${width}x${height} device pixels.`
  }
  // `nth` is too high.
  if ('ref' in target || facts['matches'] !== undefined) return undefined
  const names = candidates
    .filter((element) => !showsTypedText(element))
    .map(({ text, desc, id }) =>
      JSON.stringify(cutText(text ?? desc ?? `#${id?.split(':id/').at(-1) ?? ''}`)),
    )
    .slice(0, maxNamed)
  return names.length === 0
    ? undefined
    : `No element on the screen matches the target. Similar: ${names.join(', ')}.`
}

/** Converts the error of a batch that could not begin, so that no action ran. Returns unknown errors unchanged. */
export function refusal(error: unknown): unknown {
  if (error instanceof DeviceGone) return notDone(error)
  if (error instanceof DeadlineExceeded)
    return new ApiError('provider_error', {
      message: 'The phone did not respond, so nothing was done.',
      retryable: true,
      cause: error,
    })
  return error
}

export const bugError = (): PlainError =>
  new ApiError('internal_error', { next: advice.unknown.withoutObservation }).toPlain()

function toCandidate(element: ScreenElement): Candidate {
  const { ref, type, text, desc, id, center } = showElement(element)
  return { ref, type, text, desc, id, center }
}
