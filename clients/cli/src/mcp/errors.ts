/** Errors of the HTTP side as JSON-RPC errors, whose message a client shows its model. */
import { PhonerackError } from '@phonerack/sdk'
import { SdkHttpError, type JSONRPCErrorResponse, type JSONRPCRequest } from '@modelcontextprotocol/client'
import { connectionError, isUnsent } from '../checks.js'
import { envelopeOf } from '../failure.js'

/** "Internal error" of JSON-RPC 2.0: the request was not refused by a tool, nor was it malformed. */
const internalError = -32_603

/** `error.data` is the envelope of the API; `error.message` contains its message and `next`. */
export function errorAnswer(request: JSONRPCRequest, error: unknown, origin: string): JSONRPCErrorResponse {
  const { id } = request
  const sent = error instanceof SdkHttpError ? rpcErrorIn(error) : null
  if (sent !== null) return { jsonrpc: '2.0', id, error: sent }
  const envelope = envelopeOf(knownError(request, error, origin))
  const message = envelope.next === null ? envelope.message : `${envelope.message} ${envelope.next}`
  return { jsonrpc: '2.0', id, error: { code: internalError, message, data: { error: envelope } } }
}

function knownError(request: JSONRPCRequest, error: unknown, origin: string): unknown {
  if (error instanceof PhonerackError) return error
  if (error instanceof SdkHttpError) return httpError(request, error)
  if (isUnsent(error)) return connectionError(error, origin)
  return unknownError(request, 'connection_failed', `The connection broke: ${reasonOf(error)}.`)
}

/** `fetch` puts the reason into `cause`. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '')
}

/** An answer with a status of failure: the API's envelope, or one of a proxy. */
function httpError(request: JSONRPCRequest, { data, status }: SdkHttpError): PhonerackError {
  const fields = envelopeIn(parsed(data.text))
  if (fields !== null) return new PhonerackError(fields, { status, requestId: fields.request_id })
  const message = `The server answered with status ${status} and without an error of Phonerack.`
  const next = 'Check the base URL, and proxies in between.'
  // A proxy that gave up says nothing about the outcome.
  if (status >= 500) return unknownError(request, 'unexpected_answer', message)
  return new PhonerackError(
    { code: 'unexpected_answer', type: 'api_error', message, next, retryable: false, details: {} },
    { status },
  )
}

interface Fields {
  type: string
  code: string
  message: string
  retryable: boolean
  next: string | null
  request_id: string | null
  details: Readonly<Record<string, unknown>>
}

function envelopeIn(body: unknown): Fields | null {
  const error = isRecord(body) ? body['error'] : undefined
  if (!isRecord(error)) return null
  const { type, code, message, retryable, next, request_id: requestId, details } = error
  if (typeof type !== 'string' || typeof code !== 'string' || typeof message !== 'string') return null
  return {
    ...{ type, code, message, retryable: retryable === true },
    ...{ next: typeof next === 'string' ? next : null },
    ...{ request_id: typeof requestId === 'string' ? requestId : null },
    details: isRecord(details) ? details : {},
  }
}

/** The error of JSON-RPC that an MCP server sends with a status of failure, also without an id. */
function rpcErrorIn({ data }: SdkHttpError): JSONRPCErrorResponse['error'] | null {
  const body = parsed(data.text)
  const error = isRecord(body) && body['jsonrpc'] === '2.0' ? body['error'] : undefined
  if (!isRecord(error)) return null
  const { code, message, data: more } = error
  if (typeof code !== 'number' || typeof message !== 'string') return null
  return { code, message, ...(more === undefined ? {} : { data: more }) }
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null
  } catch {
    // A page of a proxy.
    return null
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The answer ended without the message that answers the request. */
export const lostError = (request: JSONRPCRequest, origin: string): PhonerackError =>
  unknownError(request, 'connection_failed', `The connection to ${origin} ended before the answer.`)

export const timeoutError = (request: JSONRPCRequest, limitMs: number): PhonerackError =>
  unknownError(request, 'timeout', `The server did not answer within ${limitMs / 1000} s.`)

export const noAnswerError = (): PhonerackError =>
  new PhonerackError({
    ...{ code: 'unexpected_answer', type: 'api_error', retryable: false, details: {} },
    message: 'The server answered with status 202 and without a result.',
    next: 'Check the base URL, and proxies in between.',
  })

/** A tool may have run; the other methods change nothing. */
function unknownError({ method }: JSONRPCRequest, code: string, message: string): PhonerackError {
  const isCall = method === 'tools/call'
  return new PhonerackError({
    ...{ code, type: 'connection_error', message, retryable: !isCall, details: {} },
    next: isCall
      ? 'The tool may have run: read the state of the phone, with observe or get_phone, before you call it again.'
      : 'Send the request again.',
  })
}
