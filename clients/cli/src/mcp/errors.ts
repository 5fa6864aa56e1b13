/** Turns errors of the HTTP side into JSON-RPC errors. Clients show the message to their model. */
import { PhonerackError } from '@phonerack/sdk'
import { fetchFailureOf, isUnsent, parsed, readEnvelope, unexpectedAnswer } from '@phonerack/sdk/internal'
import { SdkHttpError, type JSONRPCErrorResponse, type JSONRPCRequest } from '@modelcontextprotocol/client'
import { connectionError } from '../checks.js'
import { envelopeOf } from '../failure.js'

/** "Internal error" of JSON-RPC 2.0: the request was not refused by a tool, nor was it malformed. */
const internalError = -32_603

/** `error.data` is the envelope of the API; `error.message` contains its message and `next`. */
export function errorAnswer(request: JSONRPCRequest, error: unknown, origin: string): JSONRPCErrorResponse {
  const { id } = request
  const body =
    error instanceof SdkHttpError && typeof error.data.text === 'string' ? parsed(error.data.text) : null
  const sent = rpcErrorIn(body)
  if (sent !== null) return { jsonrpc: '2.0', id, error: sent }
  const known =
    error instanceof SdkHttpError
      ? httpError(request, error.status, body)
      : knownError(request, error, origin)
  const envelope = envelopeOf(known)
  const message = envelope.next === null ? envelope.message : `${envelope.message} ${envelope.next}`
  return { jsonrpc: '2.0', id, error: { code: internalError, message, data: { error: envelope } } }
}

function knownError(request: JSONRPCRequest, error: unknown, origin: string): unknown {
  if (error instanceof PhonerackError) return error
  if (error instanceof NoAnswerError) return unknownError(request, 'unexpected_answer', error.message)
  if (isUnsent(error)) return connectionError(error, origin)
  return unknownError(request, 'connection_failed', `The connection broke: ${fetchFailureOf(error).reason}.`)
}

/** The error of an answer with a failure status, from the API or from a proxy. */
function httpError(request: JSONRPCRequest, status: number, body: unknown): PhonerackError {
  const fields = readEnvelope(body)
  if (fields !== null) return new PhonerackError(fields, { status, requestId: fields.requestId })
  const error = unexpectedAnswer(status, 'without an error of Phonerack')
  // The error of a proxy does not show whether the request ran.
  return status >= 500 ? unknownError(request, error.code, error.toJSON().message) : error
}

/** The JSON-RPC error that an MCP server sends with a failure status, with or without an id. */
function rpcErrorIn(body: unknown): JSONRPCErrorResponse['error'] | null {
  const error = isRecord(body) && body['jsonrpc'] === '2.0' ? body['error'] : undefined
  if (!isRecord(error)) return null
  const { code, message, data: more } = error
  if (typeof code !== 'number' || typeof message !== 'string') return null
  return { code, message, ...(more === undefined ? {} : { data: more }) }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The error of an answer that ended before the message for the request. */
export const lostError = (request: JSONRPCRequest, origin: string): PhonerackError =>
  unknownError(request, 'connection_failed', `The connection to ${origin} ended before the answer.`)

export const timeoutError = (request: JSONRPCRequest, limitMs: number): PhonerackError =>
  unknownError(request, 'timeout', `The server did not answer within ${limitMs / 1000} s.`)

/** The server answered a request with status 202. */
export class NoAnswerError extends Error {
  override readonly message = 'The server answered with status 202 and without a result.'
}

/** A tool may have run; the other methods change nothing. */
function unknownError({ method }: JSONRPCRequest, code: string, message: string): PhonerackError {
  const isCall = method === 'tools/call'
  return new PhonerackError({
    code,
    type: 'connection_error',
    message,
    retryable: !isCall,
    details: {},
    next: isCall
      ? 'The tool may have run: read the state with list_phones, get_phone or observe before you call it again.'
      : 'Send the request again.',
  })
}
