/** Answers of tools: the fields of a response, and errors. */
import { type ErrorEnvelope } from '@phonerack/shared'
import { nextForTools } from './next.js'
import { fieldLines, oneLine, quoted } from './text.js'
import { type ToolAnswer } from './tool.js'

type ErrorBody = ErrorEnvelope['error']
type FailedAction = Pick<ErrorBody, 'code' | 'message' | 'retryable' | 'next' | 'details'>

/** `head` is the first line; `next` names the next call. */
export function answer(body: object, head?: string, next?: string): ToolAnswer {
  const lines = [...(head === undefined ? [] : [head]), ...fieldLines(body)]
  if (next !== undefined) lines.push(`next: ${next}`)
  return { structured: { ...body, ...(next === undefined ? {} : { next }) }, text: lines.join('\n') }
}

export const withToolNext = <E extends FailedAction>(error: E): E => ({
  ...error,
  next: nextForTools(error.next),
})

/** The caller has passed `error` through `withToolNext`. */
export function errorLines({ code, message, next, retryable, details }: FailedAction): string[] {
  const lines = [`error ${code}: ${oneLine(message)}`]
  if (next !== null) lines.push(`next: ${oneLine(next)}`)
  lines.push(`retryable ${retryable}`)
  if (Object.keys(details).length > 0) lines.push(`details ${quoted(details)}`)
  return lines
}

/** @param done changes that the call made before it failed */
export function failed(body: ErrorBody, done: Record<string, unknown> = {}): ToolAnswer {
  const error = withToolNext(body)
  return {
    structured: { ...done, error },
    text: [...errorLines(error), `request_id ${error.request_id}`, ...fieldLines(done)].join('\n'),
    isError: true,
  }
}
