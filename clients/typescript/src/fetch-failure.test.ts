/** Errors of `fetch` for connections that were not made, and errors after which the outcome is unknown. */
import { expect, it } from 'vitest'
import { fetchFailureOf, isUnsent } from './fetch-failure.js'

const caused = (fields: object, message = 'It broke.'): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), fields) })
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })

it.each([
  { code: 'ECONNREFUSED', syscall: 'connect' },
  { code: 'ETIMEDOUT', syscall: 'connect' },
  { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
  { code: 'ECONNREFUSED' },
  { code: 'UND_ERR_CONNECT_TIMEOUT' },
  { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
  { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  { code: 'CERT_HAS_EXPIRED' },
  { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
  { code: 'INVALID_PURPOSE' },
])('calls a request unsent after %j', (fields) => {
  expect(isUnsent(caused(fields))).toBe(true)
  // Without the wrapper of `fetch`, as `tls.connect` emits it.
  expect(isUnsent(caused(fields).cause)).toBe(true)
})

it.each([
  { code: 'ECONNRESET', syscall: 'read' },
  { code: 'ETIMEDOUT', syscall: 'read' },
  { code: 'EPIPE', syscall: 'write' },
  { code: 'UND_ERR_SOCKET' },
  { code: 'UND_ERR_HEADERS_TIMEOUT' },
  // The server refuses the certificate of the client, possibly after the first bytes of the request.
  { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
  { code: 7 },
  {},
])('does not know whether a request was sent after %j', (fields) => {
  expect(isUnsent(caused(fields))).toBe(false)
})

it('calls a request unsent after an error of Deno without a connection only', () => {
  const deno = (kind: string): TypeError =>
    caused({}, `error sending request for url (http://127.0.0.1:9/v1/phones): client error (${kind}): reset`)
  expect([isUnsent(deno('Connect')), isUnsent(deno('SendRequest'))]).toEqual([true, false])
})

it('calls a request unsent only if every address failed before it', () => {
  const all = (errors: Error[]) => new TypeError('fetch failed', { cause: new AggregateError(errors) })
  expect(isUnsent(all([refused, refused]))).toBe(true)
  expect(isUnsent(all([refused, new Error('other')]))).toBe(false)
  expect(isUnsent(all([]))).toBe(false)
})

it('names the reason, or the code of an error without a message', () => {
  expect(fetchFailureOf(caused({ code: 'X' }))).toEqual({ code: 'X', reason: 'It broke' })
  expect(fetchFailureOf(caused({ code: 'ECONNREFUSED' }, ''))).toEqual({
    code: 'ECONNREFUSED',
    reason: 'ECONNREFUSED',
  })
  expect(fetchFailureOf(new Error('plain'))).toEqual({ code: '', reason: 'plain' })
  expect(fetchFailureOf('text')).toEqual({ code: '', reason: 'text' })
})
