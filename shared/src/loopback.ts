/** Addresses that only programs on the same machine can connect to. */
import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** @param address an IP address or `localhost`; any other name counts as reachable from other machines */
export function isLoopback(address: string): boolean {
  if (address === 'localhost') return true
  const kind = isIP(address)
  return kind !== 0 && loopback.check(address, kind === 6 ? 'ipv6' : 'ipv4')
}

/** Whether the host of a URL is an address that only programs on the same machine can connect to. */
export const isLoopbackUrl = (url: string): boolean =>
  isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'))
