/**
 * Reads request bodies: at most the route's limit, strict JSON, and a response that also reaches a client whose body is
 * too large. Registered for all routes by `server/server.ts`.
 */
import { ApiError } from '@phonerack/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { validationFailed } from '../../base/validation/validation-error.js'
import { parseJson } from './json.js'
import { headerRefusal } from './validation.js'

/** Milliseconds in which a body must arrive. */
const receiveMs = 60_000

/** Milliseconds in which the rest of a too large or too slow body is read and discarded. */
const discardMs = 10_000

/** Returns the error for a connection that ended before the body was complete. Nothing was done. */
const cutOff = (): ApiError =>
  validationFailed('body', [
    { path: [], message: 'is incomplete: the connection ended before all of it arrived', code: 'cut_off' },
  ])

const tooSlow = (): ApiError =>
  validationFailed('body', [
    { path: [], message: 'is incomplete: it did not arrive within 60 seconds', code: 'timeout' },
  ])

const tooLarge = (limit: number): ApiError =>
  new ApiError('payload_too_large', {
    message: `The request body is larger than ${limit} bytes.`,
    details: { limit_bytes: limit },
  })

/**
 * Reads the whole body. A body over the limit fails with `payload_too_large` once all of it was discarded,
 * twice the limit was read, or 10 s have passed, whichever is first. Further bytes are discarded in
 * the background until the 10 s are over, since closing a connection with unread bytes would lose
 * the response. @throws ApiError payload_too_large @throws ApiError validation_failed when the
 * connection ends before the body is complete, or it takes too long
 */
export function collectBody(
  stream: Readable,
  limit: number,
  declared: number,
  withinMs = receiveMs,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let received = 0
    let timer: NodeJS.Timeout | undefined
    let answered = false

    const refuse = (): void => {
      answered = true
      reject(tooLarge(limit))
    }
    const startDiscarding = (): void => {
      chunks = []
      timer ??= setTimeout(() => {
        if (answered) stream.destroy()
        else refuse()
      }, discardMs)
    }
    const late = setTimeout(() => {
      reject(tooSlow())
      startDiscarding()
      answered = true
    }, withinMs)
    const finish = (settle: () => void): void => {
      clearTimeout(timer)
      clearTimeout(late)
      stream.off('data', onData)
      settle()
    }
    const onData = (chunk: Buffer): void => {
      received += chunk.length
      if (timer === undefined && received <= limit) chunks.push(chunk)
      else startDiscarding()
      if (received > 2 * limit && !answered) refuse()
    }

    if (declared > limit) startDiscarding()
    stream.on('data', onData)
    stream.once('end', () => finish(() => (timer === undefined ? resolve(Buffer.concat(chunks)) : refuse())))
    stream.once('error', () => finish(() => reject(cutOff())))
    stream.once('close', () => finish(() => reject(cutOff())))
  })
}

/** Returns `Content-Length`, or 0 for a chunked body. */
const declaredLength = (request: FastifyRequest): number => Number(request.headers['content-length'] ?? 0)

/** A malformed header takes precedence over a body that is too large, as in the error table of create. */
const headersFirst = (request: FastifyRequest, error: unknown): unknown =>
  error instanceof ApiError && error.code === 'payload_too_large'
    ? (headerRefusal(request.routeOptions.schema?.headers, request.headers) ?? error)
    : error

/** @throws ApiError validation_failed */
export function checkContentType(header: string | undefined): void {
  const [type, ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length)
  const utf8 = charset === undefined || ['utf-8', '"utf-8"', 'utf8'].includes(charset)
  if (type === 'application/json' && utf8) return
  throw validationFailed('content_type', [
    {
      path: ['content-type'],
      message: 'must be `application/json`',
      expected: 'application/json',
      received: header ?? 'none',
    },
  ])
}

export interface Continuation {
  /** True when the client waits for permission to send its body (`Expect: 100-continue`). */
  awaits(request: FastifyRequest): boolean
  /** Permits the client to send its body. */
  proceed(request: FastifyRequest): void
}

export function addBodyReading(app: FastifyInstance, continuation: Continuation): void {
  app.decorateRequest('readBody', undefined)

  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    if (request.routeOptions.config.streamBody === true) {
      // Fastify itself refuses unknown content types; this route accepts all.
      delete request.raw.headers['content-type']
      if (continuation.awaits(request)) continuation.proceed(request)
      return
    }
    const limit = request.routeOptions.bodyLimit
    const declared = declaredLength(request)
    if (continuation.awaits(request)) {
      if (declared > limit) throw headersFirst(request, tooLarge(limit))
      continuation.proceed(request)
    }
    const bytes = await collectBody(payload, limit, declared).catch((error: unknown) => {
      throw headersFirst(request, error)
    })
    const type = request.headers['content-type']
    // Fastify itself refuses unknown content types. An empty body may have any content type.
    delete request.raw.headers['content-type']
    if (request.routeOptions.config.rawBody === true) {
      request.readBody = bytes
      return
    }
    if (bytes.length === 0) return
    checkContentType(type)
    request.readBody = parseJson(bytes)
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, _payload, done) =>
    done(null, Buffer.isBuffer(request.readBody) ? undefined : request.readBody),
  )
}
