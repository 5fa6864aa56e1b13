/** How our programs connect to a broker: the certificate that they accept. */
import type { ConnectionOptions, TlsOptions } from 'nats'
import { brokerHost, isEncrypted } from './broker-url.js'

/**
 * The client's options for this address. @param authorities PEM texts: the only authorities for the broker's
 * certificate; null: Node's
 */
export function brokerTls(
  url: string,
  authorities: readonly string[] | null,
): Pick<ConnectionOptions, 'tls'> {
  // Without `tls`, the client accepts a broker without TLS for any URL.
  if (!isEncrypted(url)) return {}
  const host = brokerHost(url)
  const tls: TlsOptions & { host?: string } = {
    ...(authorities === null ? {} : { ca: authorities.join('\n') }),
    // Node compares an IP address with the certificate only if it gets the address here.
    ...(host === null ? {} : { host }),
  }
  return { tls }
}
