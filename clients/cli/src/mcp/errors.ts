/** Errors of the HTTP side as JSON-RPC errors, whose message a client shows its model. */
import { PhonerackError } from '@phonerack/sdk'
import { fetchFailureOf, isUnsent, readEnvelope, unexpectedAnswer } from '@phonerack/sdk/internal'
import { SdkHttpError, type JSONRPCErrorResponse, type JSONRPCRequest } from '@modelcontextprotocol/client'
import { connectionError } from '../checks.js'
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
  return unknownError(request, 'connection_failed', `The connection broke: ${fetchFailureOf(error).reason}.`)
}

/** An answer with a status of failure: the API's envelope, or one of a proxy. */
function httpError(request: JSONRPCRequest, { data, status }: SdkHttpError): PhonerackError {
  const fields = readEnvelope(typeof data.text === 'string' ? data.text : '')
  if (fields !== null) return new PhonerackError(fields, { status, requestId: fields.requestId })
  const error = unexpectedAnswer(status, 'without an error of Phonerack')
  // A proxy that gave up says nothing about the outcome.
  return status >= 500 ? unknownError(request, error.code, error.toJSON().message) : error
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

export const noAnswerError = (): PhonerackError => unexpectedAnswer(202, 'without a result')

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
