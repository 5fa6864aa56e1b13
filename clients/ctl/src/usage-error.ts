/** A wrong command line; the message says what was expected. */
export class UsageError extends Error {}
