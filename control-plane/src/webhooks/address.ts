/**
 * The IP addresses to which webhooks may connect: public ones, and those of the operator's list. Pure. docs/decisions/0272
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseNetwork, type Network } from '../config/webhooks.js'

type Address = Network[0]

/** All IPv6 addresses on the public internet; others embed IPv4 addresses or have a special purpose. */
const publicV6 = parseNetwork('2000::/3')
/** Public addresses at which a cloud answers its own machines: Azure's platform. */
const metadata = [parseNetwork('168.63.129.16')]

const isIn = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits)

/** @param address as text; an IPv4 address inside an IPv6 address counts as IPv4 */
export function isAllowedAddress(text: string, allowed: readonly Network[]): boolean {
  // ipaddr.js also takes short and decimal forms, which no resolver returns.
  if (isIP(text) === 0) return false
  const address = ipaddr.process(text)
  if (allowed.some((network) => isIn(address, network))) return true
  if (address.range() !== 'unicast' || metadata.some((network) => isIn(address, network))) return false
  return address.kind() === 'ipv4' || isIn(address, publicV6)
}
