/**
 * The fields of an error that are safe to log. Our errors and errors of libraries can contain a request, typed
 * text or a whole answer in other fields. Used by `log.ts`.
 */

interface LoggedError {
  type: string
  message: string
  /** Frames only: the first line of a stack repeats the message. */
  stack: string
  code?: string | number
  cause?: LoggedError | string
}

/** Causes beyond this depth are omitted, which also ends a cycle. */
const mostCauses = 5

export function loggedError(error: unknown, depth = 0): LoggedError | string {
  if (!(error instanceof Error)) return `not an error: ${typeof error}`
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const logged: LoggedError = {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: messageOf(error),
    stack: frames.map((line) => line.trim()).join('\n'),
  }
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number'))
    logged.code = error.code
  if (error.cause !== undefined && depth < mostCauses) logged.cause = loggedError(error.cause, depth + 1)
  return logged
}

/**
 * `JSON.parse` quotes the text that it cannot read; Node's connection errors name the failure only in their
 * `errors`.
 */
function messageOf(error: Error): string {
  if (error instanceof SyntaxError && error.message.includes('JSON')) return 'the text is not JSON'
  if (!(error instanceof AggregateError) || error.message !== '') return error.message
  return error.errors.map((part: unknown) => (part instanceof Error ? part.message : 'unknown')).join('; ')
}
