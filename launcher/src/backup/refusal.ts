/**
 * Errors that stop a backup or restore, for the operator: a wrong command line, or a condition that the message
 * explains.
 */

/** A wrong command line: exit code 2. */
export class UsageError extends Error {}

/** The operator must first change this machine: exit code 1, without a stack trace. */
export class Refusal extends Error {}

/** The message of any error, for one line of output. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A connection that several addresses refuse is one error without a message.
  return error.message || ('code' in error ? String(error.code) : error.name)
}
