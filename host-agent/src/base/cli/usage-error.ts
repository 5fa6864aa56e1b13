/** The command line or configuration is invalid. The message names the expected form. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
