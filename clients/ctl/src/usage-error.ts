/** The command line is invalid. The message names the expected form. */
export class UsageError extends Error {}
