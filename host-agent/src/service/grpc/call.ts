/** Wraps every call: authorisation, deadline, and the form of errors. */
import type { sendUnaryData, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js'
import type { Assignment } from '@phonerack/proto'
import {
  ApiError,
  explainRefusal,
  isSpoken,
  Progress,
  protocol,
  readProtocolVersion,
  withCallFields,
  type Logger,
} from '@phonerack/shared'
import { attributesOf, inServerSpan, traceHeader } from '@phonerack/shared/tracing'
import type { Caller } from '../../devices/gate.js'
import { countCall } from '../../base/metrics/instruments.js'
import { toApiError, toServiceError } from './errors.js'

/** The only client whose calls are accepted. */
export const controlPlaneIdentity = 'spiffe://phonerack/control-plane'

/** Milliseconds, for a call without a deadline. */
const defaultDeadline = 120_000

/** The common part of all kinds of calls. */
interface AnyCall extends Pick<
  ServerUnaryCall<unknown, unknown>,
  'getAuthContext' | 'getDeadline' | 'getPeer' | 'cancelled' | 'metadata'
> {
  on(event: 'cancelled', listener: () => void): unknown
}

/**
 * Whether the TLS client is the control plane. A certificate of the same CA is not enough, since hosts have
 * such certificates. `subjectaltname` is Node's list, in which values with unusual characters are quoted, so
 * that no name can pass for another.
 */
export function isControlPlane(call: Pick<AnyCall, 'getAuthContext'>): boolean {
  const certificate = call.getAuthContext().sslPeerCertificate
  const names = certificate?.subjectaltname?.split(', ') ?? []
  return names.includes(`URI:${controlPlaneIdentity}`)
}

/** Returns the caller's deadline and cancellation, as one progress. */
function progressOf(call: AnyCall): Progress {
  const gone = new AbortController()
  call.on('cancelled', () => gone.abort())
  if (call.cancelled) gone.abort()
  return Progress.for(remainingOf(call), gone.signal)
}

/** Returns the milliseconds until the caller's deadline. */
function remainingOf(call: AnyCall): number {
  const deadline = call.getDeadline()
  const at = typeof deadline === 'number' ? deadline : deadline.getTime()
  return Math.max(0, Number.isFinite(at) ? at - Date.now() : defaultDeadline)
}

/** Makes a unary handler from a function that returns the response or throws. */
export const unary =
  <Q, A>(log: Logger, name: string, handle: (request: Q, progress: Progress) => Promise<A>) =>
  (call: ServerUnaryCall<Q, A>, callback: sendUnaryData<A>): void => {
    const startedAt = performance.now()
    void answer(call as AnyCall, log, name, (progress) => handle(call.request, progress)).then(
      (result) => {
        ended(name, startedAt, null)
        callback(null, result)
      },
      (error: unknown) => callback(toServiceError(ended(name, startedAt, toApiError(error, log)))),
    )
  }

/** Makes a streaming handler: `send` writes one message to the stream. `untilDeadline` continues after a cancellation. */
export const streaming =
  <Q, A>(
    log: Logger,
    name: string,
    handle: (
      request: Q,
      send: (message: A) => void,
      progress: Progress,
      untilDeadline: Progress,
    ) => Promise<void>,
  ) =>
  (call: ServerWritableStream<Q, A>): void => {
    const send = (message: A) => {
      if (!call.cancelled) call.write(message)
    }
    const startedAt = performance.now()
    const untilDeadline = Progress.for(remainingOf(call))
    const work = (progress: Progress): Promise<void> => handle(call.request, send, progress, untilDeadline)
    void answer(call as AnyCall, log, name, work).then(
      () => {
        ended(name, startedAt, null)
        call.end()
      },
      (error: unknown) => call.emit('error', toServiceError(ended(name, startedAt, toApiError(error, log)))),
    )
  }

/**
 * Counts a call.
 * @returns the call's error
 */
function ended<E extends ApiError | null>(name: string, startedAt: number, error: E): E {
  countCall(name, error?.code ?? null, (performance.now() - startedAt) / 1000)
  return error
}

/** @throws ApiError phone_unavailable for a control plane with an incompatible protocol version */
function requireProtocol(call: AnyCall, log: Logger, name: string): void {
  const version = readProtocolVersion(call.metadata.get(protocol.header)[0]?.toString())
  if (isSpoken(version)) return
  const message = explainRefusal('control plane', version)
  log.error({ call: name, reason: message }, 'a call of the control plane was refused')
  throw new ApiError('phone_unavailable', { message, retryable: false })
}

/**
 * Runs the work of a call from the control plane within its deadline.
 * @throws ApiError unauthorized for any other client, phone_unavailable for a control
 * plane with an incompatible protocol version
 */
export async function answer<A>(
  call: AnyCall,
  log: Logger,
  name: string,
  work: (progress: Progress) => Promise<A>,
): Promise<A> {
  if (!isControlPlane(call)) {
    log.warn({ call: name, peer: call.getPeer() }, 'a client that is not the control plane was refused')
    throw new ApiError('unauthorized')
  }
  requireProtocol(call, log, name)
  const { request } = call as { request?: { assignment?: Assignment } }
  // A stream of the control plane, such as a live view, lasts as long as its client stays, so it gets no
  // span.
  if (request === undefined) return work(progressOf(call))
  const { requestId, phoneId }: Partial<Assignment> = request.assignment ?? {}
  const fields = { ...(requestId ? { request_id: requestId } : {}), ...(phoneId ? { phone: phoneId } : {}) }
  const arrival = () => ({
    header: call.metadata.get(traceHeader)[0]?.toString(),
    attributes: { 'rpc.system': 'grpc', ...attributesOf(fields) },
  })
  const startedAt = performance.now()
  const noted = async (): Promise<A> => {
    const result = await work(progressOf(call))
    // The line has the ID of the client's request.
    log.debug({ call: name, ms: Math.round(performance.now() - startedAt) }, 'a call was answered')
    return result
  }
  return withCallFields(fields, () => inServerSpan(name, arrival, noted))
}

/** Returns the calling phone and its fencing number. @throws ApiError when the call does not name them */
export function callerOf(assignment: Assignment | undefined): Caller & { serial: string } {
  if (!assignment)
    throw new ApiError('validation_failed', { message: 'The call does not contain an assignment.' })
  return assignment
}

/** Requires an optional capability. @throws ApiError feature_unavailable */
export function need<T>(capability: T | null, feature: string): T {
  if (capability === null) throw new ApiError('feature_unavailable', { details: { feature } })
  return capability
}
