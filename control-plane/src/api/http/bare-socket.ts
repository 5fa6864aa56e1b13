/** Writes the error envelope to a socket on which HTTP failed before a request existed. Used by `server/server.ts`. */
import { type ApiError, newId } from '@phonerack/shared'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorAnswer } from './errors.js'
import { validationFailed, type Issue } from '../../base/validation/validation-error.js'

/** Milliseconds in which further bytes from the client are discarded, so that the client can read the response. */
const lingerMs = 2000

const answered = new WeakSet<Socket>()

/** Writes the error, and closes the connection after the client has had time to read it. */
export function answerOnSocket(socket: Socket, error: ApiError): void {
  if (answered.has(socket)) return
  answered.add(socket)
  const { status, headers, body } = errorAnswer(error, newId('request'), '')
  const lines = Object.entries({
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.on('error', () => socket.destroy())
  socket.resume()
}

const malformed: Record<string, Issue> = {
  HPE_HEADER_OVERFLOW: { path: [], message: 'the request headers are too large', code: 'headers_too_large' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    path: [],
    message: 'the request did not arrive before the timeout',
    code: 'timeout',
  },
}

/** Fastify's `clientErrorHandler`, for a request that Node could not parse. */
export function onClientError(error: Error & { code?: string }, socket: Socket): void {
  const underWay = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || underWay?.headersSent) {
    // A second error after the response means that the client is still sending, so the socket stays open until it
    // finishes.
    if (!answered.has(socket)) socket.destroy(error)
    return
  }
  const issue = malformed[error.code ?? ''] ?? { path: [], message: 'the request is not valid HTTP' }
  answerOnSocket(socket, validationFailed('headers', [issue]))
}
