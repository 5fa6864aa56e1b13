/**
 * One attempt: a POST to a receiver, on a new connection to an address that was just resolved and checked. Redirects
 * are not followed, and at most 16 KB of the response are read. `connectors/` fetches documents in the same way.
 */
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { limits, makeStorable } from '@phonerack/shared'
import { type Network } from '../../base/config/webhooks.js'
import { isAllowedAddress } from './address.js'
import { AddressNotAllowed, checkedLookup } from './checked-lookup.js'
import { type Resolve } from './system-lookups.js'
import { type AttemptError } from './types.js'
import { hostOf } from './url.js'

export interface Attempt {
  /** Default: POST. */
  method?: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  allowed: readonly Network[]
  /** Addresses of this machine, which are refused unless they are in `allowed`. Default: none. */
  own?: readonly string[]
  resolve: Resolve
  /** Ends the attempt because this process stops. */
  signal: AbortSignal
  /** Milliseconds of the attempt. Default: `limits.webhooks.attempt`. */
  withinMs?: number
  /** Trusted certificates, for tests. */
  ca?: string
}

export interface AttemptOutcome {
  isDelivered: boolean
  /** Null if there was no response. */
  status: number | null
  body: string | null
  ms: number
  error: SendError | null
}

/** Errors of an attempt, without the error of a webhook for which no attempt is made. */
type SendError = Exclude<AttemptError, 'webhook_disabled'>

/** @throws the reason of `signal` when it aborts, in which case it is unknown whether the receiver got the request */
export async function sendAttempt(attempt: Attempt): Promise<AttemptOutcome> {
  const begun = performance.now()
  const tooLate = AbortSignal.timeout(attempt.withinMs ?? limits.webhooks.attempt)
  // Without a listener, Node.js collects a timeout inside `AbortSignal.any`: https://github.com/nodejs/node/pull/57867
  tooLate.addEventListener('abort', () => undefined, { once: true })
  const ended = (part: Omit<AttemptOutcome, 'ms'>): AttemptOutcome => ({
    ...part,
    ms: Math.round(performance.now() - begun),
  })
  try {
    const { status, body } = await post(attempt, AbortSignal.any([attempt.signal, tooLate]))
    const isDelivered = status >= 200 && status <= 299
    const error = isDelivered ? null : status >= 300 && status <= 399 ? 'redirect' : 'status'
    return ended({ isDelivered, status, body, error })
  } catch (error) {
    attempt.signal.throwIfAborted()
    const cause = tooLate.aborted ? 'timeout' : errorOf(error)
    return ended({ isDelivered: false, status: null, body: null, error: cause })
  }
}

interface Answer {
  status: number
  body: string
}

function post(
  { method = 'POST', url: text, headers, body, allowed, own = [], resolve, ca }: Attempt,
  signal: AbortSignal,
): Promise<Answer> {
  const url = new URL(text)
  const host = hostOf(url)
  const isAllowed = (address: string): boolean => isAllowedAddress(address, allowed, own)
  // Names are checked when they are resolved, and the connection uses the checked addresses.
  if (isIP(host) !== 0 && !isAllowed(host)) return Promise.reject(new AddressNotAllowed())
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((done, fail) => {
    // Set once the receiver has answered. A body that breaks off or takes too long does not change the outcome.
    let finish: (() => void) | null = null
    const end = (error: Error): void => (finish ? finish() : fail(error))
    // The attempt ends at its deadline even if Node.js emits no event.
    const onAbort = (): void => end(new Error('the attempt was ended', { cause: signal.reason }))
    signal.addEventListener('abort', onAbort, { once: true })
    const sending = request(
      url,
      {
        method,
        agent: false,
        lookup: checkedLookup((name) => resolve(name, signal), isAllowed),
        signal,
        headers: { ...headers, ...(method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) }) },
        ...(ca === undefined ? {} : { ca }),
      },
      (response) => {
        const parts: Buffer[] = []
        let size = 0
        const complete = (): void => {
          done({ status: response.statusCode ?? 0, body: textOf(parts) })
          response.destroy()
        }
        finish = complete
        response.on('data', (part: Buffer) => {
          parts.push(part)
          size += part.length
          if (size >= limits.webhooks.responseBody) complete()
        })
        response.on('end', complete)
        response.on('error', complete)
      },
    )
    // The event replaces `response` for the status 101. Without a listener, Node.js only emits `close`.
    sending.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy()
      done({ status: statusCode, body: '' })
    })
    sending.on('error', end)
    sending.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      end(new Error('the connection was closed without a response'))
    })
    sending.end(method === 'GET' ? undefined : body)
  })
}

/** Postgres stores no NUL characters. */
const textOf = (parts: readonly Buffer[]): string =>
  makeStorable(Buffer.concat(parts).subarray(0, limits.webhooks.responseBody).toString('utf8'))

const causes: Readonly<Record<string, SendError>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'name_not_resolved',
  ENODATA: 'name_not_resolved',
  ESERVFAIL: 'name_not_resolved',
  ETIMEOUT: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
}

function errorOf(error: unknown): SendError {
  // The connection tried several addresses.
  if (error instanceof AggregateError && error.errors.length > 0) return errorOf(error.errors[0])
  if (error instanceof AddressNotAllowed) return 'address_not_allowed'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code)) return 'tls_failed'
  return causes[code] ?? 'connection_failed'
}
