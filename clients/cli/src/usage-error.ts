/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(
    message: string,
    /** Advice on the correct use. */
    readonly next: string | null = null,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
  }
}

/** No key for the service is stored. */
export class SignInError extends Error {
  override readonly name = 'SignInError'

  constructor(
    message: string,
    readonly next: string,
  ) {
    super(message)
  }
}

/** A person answered no, or pressed Ctrl-C. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'

  constructor(
    message: string,
    readonly isInterrupt = false,
  ) {
    super(message)
  }
}

/** The phone or a person refused, or a wait ended without success. The requests themselves succeeded. */
export class NotDone extends Error {
  override readonly name = 'NotDone'

  constructor(
    readonly code: string,
    message: string,
    readonly next: string | null = null,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
  }
}

/** The command has printed its result, and ends with this exit code. */
export class ExitWith extends Error {
  override readonly name = 'ExitWith'

  constructor(readonly exitCode: number) {
    super(`exit ${exitCode}`)
  }
}
