/**
 * Makes one call to a host: connection, breaker, deadline, and classification of a failure. Used by requests into
 * phones and by jobs.
 */
import { Metadata, status, type CallOptions, type ServiceError } from '@grpc/grpc-js'
import { type HostServiceClient } from '@phonerack/proto'
import { ApiError, makeStorable, shorten, type Progress } from '@phonerack/shared'
import { answerOf } from './answers/error.js'
import { type HostConnection } from './clients.js'

/** Milliseconds to wait for a connection before a call counts as never sent. */
const connectMs = 2000

/** A failed call. The caller decides the consequence. */
export class CallFailure extends Error {
  private constructor(
    /** True if bytes of the call may have been sent. */
    readonly sent: boolean,
    /** The error that the agent returned; null for a transport failure. */
    readonly answer: ApiError | null,
    readonly timedOut: boolean,
    message: string,
    /** True if the host sent an invalid response, in which case the connection works. */
    readonly isHostFault: boolean,
  ) {
    super(message)
    this.name = 'CallFailure'
  }

  /** No byte of the call was sent, so nothing was done. */
  static notSent(message: string): CallFailure {
    return new CallFailure(false, null, false, message, false)
  }

  /** The call was sent and got no response, so it may have been done. */
  static noAnswer(message: string, timedOut: boolean): CallFailure {
    return new CallFailure(true, null, timedOut, message, false)
  }

  /** The agent refused the call with `answer`. */
  static refused(answer: ApiError, message: string, timedOut: boolean): CallFailure {
    return new CallFailure(true, answer, timedOut, message, false)
  }

  /** The host sent an invalid response. */
  static hostFault(message: string, timedOut = false): CallFailure {
    return new CallFailure(true, null, timedOut, message, true)
  }
}

/** @throws CallFailure with `sent` false, in which case nothing was done */
export async function requireConnection(connection: HostConnection, progress: Progress): Promise<void> {
  const { breaker } = connection
  // An established connection is used even while the breaker is open. An open breaker only refuses the wait for a
  // connection.
  const rests = !breaker.allows(performance.now())
  if (await connection.ready(rests ? 0 : Math.min(connectMs, progress.remaining))) {
    breaker.succeeded()
    return
  }
  if (!rests) breaker.failed(performance.now())
  throw CallFailure.notSent(connection.fault ?? 'no connection to the host')
}

/** Selects a client method: `(client, ...rest) => client.observe(...rest)`. */
export type Unary<Q, A> = (
  client: HostServiceClient,
  request: Q,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, answer: A) => void,
) => { cancel(): void }

/** Makes a unary call within `progress`. @throws CallFailure */
export async function callHost<Q, A>(
  connection: HostConnection,
  method: Unary<Q, A>,
  request: Q,
  progress: Progress,
): Promise<A> {
  await requireConnection(connection, progress)
  try {
    return await new Promise<A>((resolve, reject) => {
      const deadline = Date.now() + progress.remaining
      const call = method(connection.client, request, new Metadata(), { deadline }, (error, value) => {
        forget()
        if (error) reject(error)
        else resolve(value)
      })
      const forget = progress.onAbort(() => call.cancel())
    })
  } catch (error) {
    throw toFailure(error)
  }
}

/** The prefix of grpc-js's details for a response that could not be decoded (`answers/client.ts`). */
const notDecoded = 'Response message parsing error'

/** Converts a gRPC error to a `CallFailure`. */
export function toFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error
  if (!isServiceError(error)) throw error
  const answer = ownErrorOf(error.code, error.metadata)
  const isTooLarge = error.code === status.RESOURCE_EXHAUSTED && answer === null
  const isHostFault = answer === 'unusable' || isTooLarge || error.details.startsWith(notDecoded)
  const timedOut = error.code === status.DEADLINE_EXCEEDED
  // The host chooses this text, which is logged and stored as the reason of a device.
  const message = shorten(makeStorable(error.details || error.message), 1000)
  if (answer === 'unusable' || isHostFault) return CallFailure.hostFault(message, timedOut)
  return answer === null
    ? CallFailure.noAnswer(message, timedOut)
    : CallFailure.refused(answer, message, timedOut)
}

/**
 * Returns the error that the agent sent. An agent that does not implement the call is older than the control plane, and
 * has done nothing.
 */
export function ownErrorOf(code: status, metadata: Metadata): ApiError | 'unusable' | null {
  const answer = answerOf(metadata)
  if (answer !== null || code !== status.UNIMPLEMENTED) return answer
  return new ApiError('feature_unavailable', {
    message: "The agent on the phone's host does not support this request yet.",
  })
}

export const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' && 'metadata' in error
