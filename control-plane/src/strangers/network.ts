/**
 * Which client a request comes from: the one notion of client address in the control plane. `X-Forwarded-For` counts
 * only from the configured proxies, as `request.ip` has it, and for WebSockets too, which Fastify does not see.
 */
import proxyAddress from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import { type IncomingMessage, type Server } from 'node:http'

/** An IPv6 subscriber owns a whole /64: its addresses count as one. */
const groupsOfNetwork = 4

/** An IPv4 address (also one mapped into IPv6), or an IPv6 network as `2001:db8:1:2::/64`. Anything else stays as it is. */
export function networkOf(address: string): string {
  const plain = address.split('%', 1)[0] ?? ''
  if (!ipaddr.isValid(plain)) return address
  const parsed = ipaddr.process(plain)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = parsed.parts.map((part, index) => (index < groupsOfNetwork ? part : 0))
  return `${new ipaddr.IPv6(network).toString()}/64`
}

/** The network of clients whose address cannot be read any more: they count as one. */
export const unknownNetwork = 'unknown'

/**
 * Gives the network of a request's client; never throws. Node knows no address of a connection that was reset before it
 * was read. @param trustedProxies addresses or networks; none: the socket's address counts
 */
export function createNetworkOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddress.compile([...trustedProxies])
  return (request) => {
    // Declared as a string, which it is not for a connection that was reset.
    const address = proxyAddress(request, isTrusted) as string | undefined
    return address === undefined || address === '' ? unknownNetwork : networkOf(address)
  }
}

/** A client's address for people to read. Fastify declares it as a string, which it is not for a connection that was reset. */
export const addressOf = ({ ip }: { ip: string | undefined }): string => ip ?? unknownNetwork

/** Reads each connection's address at its beginning: Node keeps it then, also after the connection has ended. */
export function keepAddresses(server: Server): void {
  server.on('connection', (socket) => void socket.remoteAddress)
}
