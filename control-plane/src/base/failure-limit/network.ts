/**
 * Determines the client of a request; the control plane's only definition of a client address.
 * `X-Forwarded-For` counts only from the configured proxies, as in `request.ip`, and also for
 * WebSockets, which Fastify does not handle.
 */
import proxyAddress from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import { type IncomingMessage, type Server } from 'node:http'
import { type Socket } from 'node:net'
import { connectionEvents } from '../connection-events.js'

/** An IPv6 subscriber has a whole /64, so its addresses count as one. */
const groupsOfNetwork = 4
/** Many providers give their customers a /48, which contains 65,536 of these networks. */
const groupsOfSite = 3

/**
 * Returns an IPv4 address (even from an address mapped into IPv6), or an IPv6 network such as `2001:db8:1:2::/64`. Any other
 * text is returned unchanged.
 */
export function networkOf(address: string): string {
  const plain = address.split('%', 1)[0] ?? ''
  if (!ipaddr.isValid(plain)) return address
  const parsed = ipaddr.process(plain)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return first(parsed, groupsOfNetwork)
}

/**
 * Returns the /48 of an IPv6 network. An IPv4 address or any other text is returned unchanged. @param network from
 * `networkOf`
 */
export function siteOf(network: string): string {
  const plain = network.split('/', 1)[0] ?? ''
  if (!ipaddr.IPv6.isValid(plain)) return network
  return first(ipaddr.IPv6.parse(plain), groupsOfSite)
}

const first = (address: ipaddr.IPv6, groups: number): string => {
  const parts = address.parts.map((part, index) => (index < groups ? part : 0))
  return `${new ipaddr.IPv6(parts).toString()}/${groups * 16}`
}

/** The network of clients whose address cannot be read. They count as one client. */
export const unknownNetwork = 'unknown'

/**
 * Returns a function for the network of a request's client, which never throws. Node has no address for a connection
 * that was reset before its address was read. @param trustedProxies addresses or networks; if empty, the socket's
 * address counts
 */
export function createNetworkOf(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddress.compile([...trustedProxies])
  return (request) => {
    // The type is string, but the value is undefined for a connection that was reset.
    const address = proxyAddress(request, isTrusted) as string | undefined
    return address === undefined || address === '' ? unknownNetwork : networkOf(address)
  }
}

/**
 * Returns a client's address for display. Fastify's type is string, but the value is undefined for a connection that
 * was reset.
 */
export const addressOf = ({ ip }: { ip: string | undefined }): string => ip ?? unknownNetwork

/**
 * Reads each connection's address when it opens, because Node then keeps the address after the connection has ended.
 */
export function keepAddresses(server: Server): void {
  for (const event of connectionEvents(server))
    server.on(event, (socket: Socket) => void socket.remoteAddress)
}
