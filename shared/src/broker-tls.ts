/** How our programs connect to a broker: the certificate that they accept. */
import type { ConnectionOptions, TlsOptions } from '@nats-io/transport-node'
import { brokerHost, isEncrypted } from './broker-url.js'

/** PEM texts: the only authorities for the broker's certificate. A function is called for each connection. */
export type BrokerAuthorities = readonly string[] | (() => readonly string[])

/**
 * The client's options for this address.
 * @param authorities null: the authorities of Node.js
 */
export function brokerTls(
  url: string,
  authorities: BrokerAuthorities | null,
): Pick<ConnectionOptions, 'tls'> {
  // Without `tls`, the client accepts a broker without TLS for any URL.
  if (!isEncrypted(url)) return {}
  const host = brokerHost(url)
  // Node compares an IP address with the certificate only if the options contain the address.
  const tls: TlsOptions & { host?: string } = host === null ? {} : { host }
  if (authorities !== null)
    // The client keeps this object, and reads it for each connection.
    Object.defineProperty(tls, 'ca', {
      enumerable: true,
      get: () => (typeof authorities === 'function' ? authorities() : authorities).join('\n'),
    })
  return { tls }
}
