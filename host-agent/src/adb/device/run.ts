/**
 * Runs one command on a phone for a capability and returns its text, or throws an error
 * that names the command.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { commandName, type ShellCommand } from '../quote.js'
import type { ShellResult } from '../shell-protocol.js'
import type { Transport } from '../transport.js'

/** Returns a command's output on both streams, for messages and for Android tools that report failures on stdout. */
export const outputOf = (result: ShellResult): string =>
  `${result.stdout.toString('utf8')}${result.stderr.toString('utf8')}`.trim()

/**
 * Returns the command's stdout.
 * @throws ApiError provider_error when it exits with a code other than 0
 */
export async function run(transport: Transport, command: ShellCommand, progress: Progress): Promise<string> {
  const result = await transport.shell(command, progress)
  if (result.exitCode !== 0) throw commandFailed(command, result)
  return result.stdout.toString('utf8')
}

/** Details of the error of a failed command; `output` is truncated, not redacted. */
export interface CommandFailure {
  /** The command's name, without arguments. */
  command: string
  exit_code: number
  output: string
}

/** @param message the failure's meaning, if known */
export function commandFailed(command: ShellCommand, result: ShellResult, message?: string): ApiError {
  const failure: CommandFailure = {
    command: commandName(command),
    exit_code: result.exitCode,
    output: outputOf(result).slice(0, 500),
  }
  return new ApiError('provider_error', { message, details: { ...failure } })
}
