/**
 * Errors for a phone's output in a form that a parser does not know. Such output is never treated as empty.
 */
import { ApiError, type Logger } from '@phonerack/shared'
import { redactOutput } from '../../base/redact.js'

/** The cause of the public error; its message has the first lines of the output, for the log. */
class UnreadableOutput extends Error {
  constructor(what: string, output: string) {
    super(`the phone reports ${what} in an unknown form: ${redactOutput(output) || 'no output'}`)
    this.name = 'UnreadableOutput'
  }
}

/** `what` is the object of the sentence "The phone reports … in an unknown form". */
export const notUnderstood = (what: string, output: string): ApiError =>
  new ApiError('provider_error', {
    message: `The phone reports ${what} in an unknown form.`,
    details: { output: output.slice(0, 500) },
    cause: new UnreadableOutput(what, output),
  })

/** Logs the first lines of the output when the error concerns an unknown form. */
export function logUnreadable(error: unknown, log: Logger | undefined): void {
  if (error instanceof ApiError && error.cause instanceof UnreadableOutput)
    log?.warn({ err: error.cause }, "a phone's output has an unknown form")
}
