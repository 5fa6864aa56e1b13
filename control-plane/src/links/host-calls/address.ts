/**
 * Converts the address in a host's heartbeat to a channel target. grpc-js reads any text with a scheme as a URI, and
 * some URIs crash the process, so only `host:port` and `[IPv6]:port` may reach grpc-js. Pure.
 */
import { isIPv6 } from 'node:net'

const form = /^(?:\[(?<v6>[0-9A-Fa-f:.]{2,45})\]|(?<name>[A-Za-z0-9._-]{1,253})):(?<port>[1-9]\d{0,4})$/
const label = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/

/** Returns null for an address to which no connection may be made. */
export function channelTarget(address: string): string | null {
  const { v6, name, port } = form.exec(address)?.groups ?? {}
  if (Number(port ?? 0) < 1 || Number(port) > 65_535) return null
  const isHost = v6 === undefined ? name?.split('.').every((each) => label.test(each)) : isIPv6(v6)
  return isHost === true ? `dns:///${address}` : null
}
