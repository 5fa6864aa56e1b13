/**
 * Explains to the operator why a wipe, an enrolment, a start or a move failed. The text becomes the device's reason in the control plane
 * and a log line. It contains the command's name, its exit code and its redacted output, but no tenant data.
 */
import { ApiError, DeadlineExceeded, type Logger } from '@phonerack/shared'
import { AdbFileRefused } from '../../adb/errors.js'
import { redactOutput } from '../../base/redact.js'
import { DeviceGone, notDone } from '../../base/device-gone.js'
import type { CommandFailure } from '../../adb/device/run.js'

/** Characters; the control plane truncates a reason to 1,000. */
const limit = 600

/**
 * Runs `work`. Logs its error, and throws the error with an explanation and the same code and `retryable`.
 */
export async function explained<T>(
  log: Logger,
  about: { serial: string; work: 'wipe' | 'enrolment' | 'start' | 'move' },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const failure = explain(error)
    const { command, exit_code: exitCode } = failure.details
    log.warn(
      { ...about, command, exitCode, reason: failure.message, err: error },
      'a wipe, an enrolment, a start or a move of a device failed',
    )
    throw failure
  }
}

/** Removes tenant data from an error that leaves the agent. */
export function explain(error: Error): ApiError {
  const sentences: string[] = []
  for (let at: unknown = error; at instanceof Error && sentences.length < 5; at = at.cause)
    sentences.push(sentenceOf(at))
  const message = [...new Set(sentences)].join(' ').slice(0, limit)
  const known = error instanceof ApiError ? error : null
  const code =
    known?.code ??
    (error instanceof DeviceGone
      ? notDone(error).code
      : error instanceof DeadlineExceeded
        ? 'provider_timeout'
        : error instanceof AdbFileRefused
          ? 'provider_error'
          : 'internal_error')
  const { output, ...details } = known?.details ?? {}
  return new ApiError(code, {
    message,
    retryable: known?.retryable,
    next: known?.next,
    details: typeof output === 'string' ? { ...details, output: redactOutput(output) } : details,
    cause: error,
  })
}

/** Formats one sentence: the message, and the command that caused it. */
function sentenceOf(error: Error): string {
  const message = redactOutput(error.message)
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  const failure = error instanceof ApiError ? commandOf(error.details) : null
  if (failure === null) return sentence
  const printed = redactOutput(failure.output)
  return `${sentence} \`${failure.command}\` ended with exit code ${failure.exit_code}${printed === '' ? ' and printed nothing' : `: ${printed}`}.`
}

function commandOf(details: Readonly<Record<string, unknown>>): CommandFailure | null {
  const { command, exit_code, output } = details
  return typeof command === 'string' && typeof exit_code === 'number' && typeof output === 'string'
    ? { command, exit_code, output }
    : null
}
