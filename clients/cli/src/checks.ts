/** Checks of the connection for `doctor`. The checks send no key. */
import { connect, type PeerCertificate } from 'node:tls'
import { humanMs } from './duration.js'
import { NotDone } from './usage-error.js'
import { PhonerackError } from '@phonerack/sdk'
import { fetchFailureOf, signalOf } from '@phonerack/sdk/internal'

export interface Check {
  name: string
  status: 'ok' | 'warning' | 'failed'
  detail: string
  /** Advice; null: none is needed. */
  next: string | null
}

/**
 * Milliseconds: the deadline of a check, the accepted difference of clocks, and the time that a certificate should
 * last.
 */
const [limitMs, skewMs, certificateMs] = [15_000, 60_000, 14 * 86_400_000]

export interface Service {
  apiVersion: string
  /** The `Date` header of the answer. */
  date: string | null
  ms: number
}

/** @throws PhonerackError of the family `connection_error` with advice, NotDone for another service */
export async function fetchService(origin: string, stop: AbortSignal): Promise<Service> {
  const since = performance.now()
  let response: Response
  let text: string
  try {
    const signal = signalOf({ signal: stop }, limitMs)
    response = await fetch(`${origin}/openapi.json`, { redirect: 'manual', signal })
    text = await response.text()
  } catch (error) {
    if (stop.aborted) throw stop.reason
    throw connectionError(error, origin)
  }
  const ms = Math.round(performance.now() - since)
  const apiVersion = versionOf(text)
  if (!response.ok || apiVersion === null)
    throw new NotDone(
      'not_phonerack',
      `${origin} answered with status ${response.status}, not as Phonerack does.`,
      'Check the base URL, and proxies in between.',
    )
  return { apiVersion, date: response.headers.get('date'), ms }
}

function versionOf(text: string): string | null {
  try {
    const document = JSON.parse(text) as { info?: { version?: unknown }; paths?: Record<string, unknown> }
    const version = document.info?.version
    return typeof version === 'string' && document.paths?.['/v1/phones'] !== undefined ? version : null
  } catch {
    return null
  }
}

const advice: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name is unknown: check the spelling of the base URL, and DNS.',
  EAI_AGAIN: 'DNS does not answer: check the network.',
  ECONNREFUSED: 'Nothing listens on this port: check the port, and that the service runs.',
  ETIMEDOUT: 'Check firewalls, proxies and VPN.',
  UND_ERR_CONNECT_TIMEOUT: 'Check firewalls, proxies and VPN.',
  CERT_HAS_EXPIRED:
    'The certificate has expired: the operator must renew it. Check the clock of this machine too.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet: check the clock of this machine.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'The certificate is self-signed: set NODE_EXTRA_CA_CERTS to a file that contains it.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'A private authority signed the certificate: set NODE_EXTRA_CA_CERTS to the file with the certificate of the authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The server sends no certificate chain, or a private authority signed the certificate: set NODE_EXTRA_CA_CERTS.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name: check the base URL.',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'The port does not speak TLS: use http, which is only for this machine, or another port.',
}

/** The error of a connection that could not be opened. */
export function connectionError(error: unknown, origin: string): PhonerackError {
  const { code, reason } = fetchFailureOf(error)
  return new PhonerackError({
    code: 'connection_failed',
    type: 'connection_error',
    retryable: true,
    details: { cause: code },
    message: `No connection to ${origin}: ${reason}.`,
    next: advice[code] ?? 'Check the base URL and the network.',
  })
}

/** Checks how long the certificate is valid. The preceding request has verified the certificate. */
export async function certificateCheck(origin: string, now: number): Promise<Check> {
  const { protocol, hostname, port } = new URL(origin)
  if (protocol !== 'https:')
    return { name: 'tls', status: 'ok', detail: 'http, only on this machine', next: null }
  const { valid_to: until } = await certificateOf(hostname.replace(/^\[|\]$/g, ''), Number(port || 443))
  const leftMs = Date.parse(until) - now
  const detail = `the certificate is valid for ${humanMs(leftMs)}`
  return leftMs < certificateMs
    ? { name: 'tls', status: 'warning', detail, next: 'The operator must renew it.' }
    : { name: 'tls', status: 'ok', detail, next: null }
}

function certificateOf(host: string, port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: /^[\d.:]+$/.test(host) ? '' : host, timeout: limitMs })
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate())
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy(new Error('The TLS connection took too long.')))
    socket.once('error', reject)
  })
}

export function clockCheck(date: string | null, now: number): Check {
  const served = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(served))
    return { name: 'clock', status: 'warning', detail: 'the server sends no time', next: null }
  const skew = now - served
  if (Math.abs(skew) <= skewMs)
    return { name: 'clock', status: 'ok', detail: 'agrees with that of the server', next: null }
  const side = skew > 0 ? 'ahead of' : 'behind'
  return {
    name: 'clock',
    status: 'warning',
    detail: `${humanMs(skew)} ${side} the server`,
    next: 'Set the clock of this machine: certificates and times depend on it.',
  }
}
