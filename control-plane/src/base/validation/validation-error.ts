/** `validation_failed`: the issues of a request that does not match its schema. */
import { ApiError } from '@phonerack/shared'
import { sentenceOf } from './phrases.js'

/** One entry of `details.issues`. */
export interface Issue {
  path: (string | number)[]
  message: string
  code?: string
  expected?: string
  received?: string
  minimum?: number
  maximum?: number
  alternatives?: readonly string[]
}

/** The check that rejected a request, in the form of `details.validation_stage`. */
export type ValidationStage = 'url' | 'headers' | 'content_type' | 'json' | 'params' | 'query' | 'body'

export const validationFailed = (stage: ValidationStage, issues: readonly Issue[], next?: string): ApiError =>
  new ApiError('validation_failed', {
    message: sentenceOf(stage, issues),
    next,
    details: { validation_stage: stage, issues },
  })
