/** A command that cannot be carried out as it was written. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(
    message: string,
    /** The correct way. */
    readonly next: string | null = null,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
  }
}

/** No key for the service is known. */
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

/** The phone or a person refused; no request failed. */
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

/** The command has said all it has to say, and ends with this exit code. */
export class ExitWith extends Error {
  override readonly name = 'ExitWith'

  constructor(readonly exitCode: number) {
    super(`exit ${exitCode}`)
  }
}
