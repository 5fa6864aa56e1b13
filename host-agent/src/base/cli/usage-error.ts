/** A wrong command line or configuration; the message says what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
