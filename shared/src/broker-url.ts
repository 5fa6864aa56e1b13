/** Decides which addresses of a NATS server may be used without TLS. Pure. */
import { isLoopback } from './loopback.js'

/** The host of a broker's address (`nats://192.0.2.7:4222`, `192.0.2.7:4222`), without brackets; null: it has none. */
export function brokerHost(url: string): string | null {
  if (!/^[\x21-\x7e]+$/.test(url)) return null
  // `URL` checks and normalises the host name only for `http:`.
  const text = `http://${url.replace(/^\w+:\/\//, '')}`
  if (!URL.canParse(text)) return null
  return new URL(text).hostname.replace(/^\[(.*)\]$/, '$1')
}

/** Connections to this address are encrypted, and the broker's certificate is verified. */
export const isEncrypted = (url: string): boolean => /^(tls|wss):\/\//.test(url)

/**
 * The reason for which this address is refused unless the operator allows it; null: the connection is encrypted, or
 * stays on this machine.
 */
export function refutePlainBroker(url: string): string | null {
  if (isEncrypted(url)) return null
  const host = brokerHost(url)
  if (host !== null && isLoopback(host)) return null
  return 'names another machine without TLS: anyone on the network between could read and change its messages'
}
