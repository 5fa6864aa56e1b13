/** Determines why `fetch` failed, and whether it failed before it sent anything. */

/** The certificate was refused: https://nodejs.org/api/tls.html#x509-certificate-error-codes. Nothing is sent before that check. */
const refusedCertificate: ReadonlySet<string> = new Set([
  ...['CERT_CHAIN_TOO_LONG', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REJECTED', 'CERT_REVOKED'],
  ...['CERT_SIGNATURE_FAILURE', 'CERT_UNTRUSTED', 'CRL_HAS_EXPIRED', 'CRL_NOT_YET_VALID'],
  ...['CRL_SIGNATURE_FAILURE', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERROR_IN_CERT_NOT_AFTER_FIELD'],
  ...['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'ERROR_IN_CRL_LAST_UPDATE_FIELD', 'ERROR_IN_CRL_NEXT_UPDATE_FIELD'],
  ...['ERR_TLS_CERT_ALTNAME_FORMAT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH', 'INVALID_CA'],
  ...['INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_CRL'],
  ...['UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE'],
  ...['UNABLE_TO_DECRYPT_CRL_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/**
 * Errors without a connection. Bun reports the first three without a system call. The last one means that the port does
 * not speak TLS.
 */
const unconnected: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ERR_SSL_WRONG_VERSION_NUMBER'],
])

/** Deno's errors have no code. The part in parentheses before it is the URL. */
const unconnectedInDeno = /^error sending request for url \(.*\): client error \(Connect\)/

export interface FetchFailure {
  /** Such as `ECONNREFUSED`; empty: none. */
  code: string
  /** The message of the cause, or its code, without the full stop at its end. */
  reason: string
}

/** @param error what `fetch` has thrown */
export function fetchFailureOf(error: unknown): FetchFailure {
  const cause = causeOf(error)
  if (!(cause instanceof Error)) return { code: '', reason: String(cause) }
  const code = codeOf(cause)
  // An error for several addresses has a code but no message.
  return { code, reason: (cause.message || code).replace(/\.$/, '') }
}

/** Whether `fetch` failed before any byte of the request was sent. False: unknown. @param error what `fetch` has thrown */
export function isUnsent(error: unknown): boolean {
  const cause = causeOf(error)
  // One error for each address.
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(isUnsent)
  if (!(cause instanceof Error)) return false
  // Only the system call distinguishes a connection that could not be opened from a connection that broke: both can have the
  // code `ETIMEDOUT`.
  const { syscall = '' } = cause as NodeJS.ErrnoException
  if (['connect', 'getaddrinfo'].includes(syscall)) return true
  const code = codeOf(cause)
  return unconnected.has(code) || refusedCertificate.has(code) || unconnectedInDeno.test(cause.message)
}

/** `fetch` puts the error of the connection into `cause`. */
const causeOf = (error: unknown): unknown => (error instanceof Error ? (error.cause ?? error) : error)

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : ''
}
