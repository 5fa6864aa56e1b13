/**
 * Makes one call to a host: connection, breaker, deadline, and the meaning of a failure. Used by
 * requests into phones and by jobs.
 */
import { Metadata, status, type CallOptions, type ServiceError } from '@grpc/grpc-js'
import { type HostServiceClient } from '@phonerack/proto'
import { ApiError, makeStorable, shorten, type Progress } from '@phonerack/shared'
import { answerOf } from './answers/error.js'
import { type HostConnection } from './clients.js'

/** Milliseconds to wait for a connection before a call counts as never sent. */
const connectMs = 2000

/** A failed call. The caller decides what it means. */
export class CallFailure extends Error {
  constructor(
    /** True when bytes of the call may have left. */
    readonly sent: boolean,
    /** The agent's own error; null for a transport failure. */
    readonly answer: ApiError | null,
    readonly timedOut: boolean,
    message: string,
    /** True when the host sent an invalid response: the connection works. */
    readonly isHostFault = false,
  ) {
    super(message)
    this.name = 'CallFailure'
  }
}

/** @throws CallFailure with `sent` false: nothing was done */
export async function requireConnection(connection: HostConnection, progress: Progress): Promise<void> {
  const { breaker } = connection
  // An established connection is used even while the breaker is open; only waiting for one is
  // refused.
  const rests = !breaker.allows(performance.now())
  if (await connection.ready(rests ? 0 : Math.min(connectMs, progress.remaining))) {
    breaker.succeeded()
    return
  }
  if (!rests) breaker.failed(performance.now())
  throw new CallFailure(false, null, false, connection.fault ?? 'no connection to the host')
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
        progress.signal.removeEventListener('abort', cancel)
        if (error) reject(error)
        else resolve(value)
      })
      const cancel = (): void => call.cancel()
      progress.signal.addEventListener('abort', cancel, { once: true })
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
  return new CallFailure(
    true,
    answer === 'unusable' ? null : answer,
    error.code === status.DEADLINE_EXCEEDED,
    // Text from the host, which is logged and stored as a device's reason.
    shorten(makeStorable(error.details || error.message), 1000),
    isHostFault,
  )
}

/**
 * Returns the agent's own error. An agent that does not know the call is older than the control
 * plane: nothing was done.
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
