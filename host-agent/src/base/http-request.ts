/**
 * Sends one HTTP request to the control plane, with certificate authorities of our choice, which `fetch` of
 * Node 20 does not support. Follows no redirect.
 */
import { request as plainRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'

interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** This machine's address on the connection. */
  localAddress: string | null
}

interface HttpRequest {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Trusted roots, PEM; see `trustedRoots`. */
  roots: readonly string[]
  signal: AbortSignal
}

/** The largest number of bytes of an answer. */
const largest = 1_000_000

/** @throws Error for network and TLS failures, and for an answer that is too large */
export function httpRequest(url: URL, options: HttpRequest): Promise<HttpAnswer> {
  const { method, headers = {}, body, roots, signal } = options
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const common = { method, headers: { ...headers, ...length }, signal, agent: false }
  return new Promise((resolve, reject) => {
    const onAnswer = (message: IncomingMessage) => {
      readBody(message).then(
        (text) =>
          resolve({
            status: message.statusCode ?? 0,
            headers: message.headers,
            body: text,
            localAddress: localAddress ?? null,
          }),
        reject,
      )
    }
    let localAddress: string | undefined
    const sent =
      url.protocol === 'https:'
        ? secureRequest(url, { ...common, ca: [...roots] }, onAnswer)
        : plainRequest(url, common, onAnswer)
    sent.once('socket', (socket) => socket.once('connect', () => (localAddress = socket.localAddress)))
    sent.once('error', reject)
    sent.end(body)
  })
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largest) {
      message.destroy()
      throw new Error(`the answer is longer than ${largest} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const tlsAdvice: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that this machine does not trust',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate signs itself',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is signed by an authority that this machine does not trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is signed by an authority that this machine does not trust',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired, or the clock of this machine is wrong',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: the clock of this machine may be wrong',
}

const networkAdvice: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it closed the connection',
  EPROTO: 'it does not speak TLS there',
  ABORT_ERR: 'it does not answer within the time limit',
}

/** Explains why a request failed, as text for people. `isTrust`: the certificate was refused. */
export function explainFailure(error: unknown): { why: string; isTrust: boolean } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const trust = tlsAdvice[code]
  if (trust !== undefined) return { why: trust, isTrust: true }
  const message = error instanceof Error ? error.message : String(error)
  return { why: networkAdvice[code] ?? message, isTrust: false }
}
