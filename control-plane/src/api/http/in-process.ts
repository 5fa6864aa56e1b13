/**
 * Requests that this process sends to its own `/v1` routes, for a client whose request to another route was accepted.
 * They pass every check and hook of `/v1`, except the rate limit. Used by `mcp/`. docs/decisions/0260
 */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { ApiError, newId } from '@phonerack/shared'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { type BatchLimits } from '../../base/core/caller.js'

export interface InProcessCall {
  /** The ID of the client's request. */
  requestId: string
  /** Aborts when the client has gone. */
  signal: AbortSignal
  batch: BatchLimits
  /** The client's `User-Agent`; null: none. */
  client: string | null
}

interface InProcessAnswer {
  status: number
  headers: Record<string, unknown>
  bytes: Buffer
}

/** The running calls, by the value of the header in their requests. */
const calls = new Map<string, InProcessCall>()
const header = 'x-phonerack-in-process'

function callOf(request: IncomingMessage): InProcessCall | null {
  // A request from the network has a socket. Its headers prove nothing.
  if (request.socket instanceof Socket) return null
  const id = request.headers[header]
  return (typeof id === 'string' && calls.get(id)) || null
}

/** Fastify's `genReqId`. */
export const requestIdOf = (request: IncomingMessage): string =>
  callOf(request)?.requestId ?? newId('request')

/**
 * Sends a request of `call` to a route of `app`. @throws ApiError service_unavailable when the server stops
 * @throws Error when the call was aborted
 */
export async function sendInProcess(
  app: FastifyInstance,
  call: InProcessCall,
  request: InjectOptions,
): Promise<InProcessAnswer> {
  call.signal.throwIfAborted()
  const id = randomUUID()
  calls.set(id, call)
  try {
    const { statusCode, headers, rawPayload } = await app.inject({
      ...request,
      headers: { ...request.headers, [header]: id },
    })
    return { status: statusCode, headers, bytes: rawPayload }
  } catch (error) {
    throw isStopping(error) ? new ApiError('service_unavailable', { message: stopping, cause: error }) : error
  } finally {
    calls.delete(id)
  }
}

const stopping = 'This server is stopping, so nothing was done.'
const isStopping = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER'

/** Must be added before any hook that reads `request.inProcess`. */
export function addInProcess(app: FastifyInstance): void {
  app.decorateRequest('inProcess', null)
  app.addHook('onRequest', (request, reply, done) => {
    const call = callOf(request.raw)
    if (!call) return done()
    request.inProcess = call
    // The routes then see a closed connection.
    const leave = (): void => void reply.raw.destroy()
    call.signal.addEventListener('abort', leave)
    reply.raw.once('close', () => call.signal.removeEventListener('abort', leave))
    if (call.signal.aborted) leave()
    done()
  })
}
