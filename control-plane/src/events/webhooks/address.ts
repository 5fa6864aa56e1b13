/**
 * The IP addresses to which webhooks may connect: public addresses of other machines, and addresses in the operator's
 * list. Pure. docs/decisions/0272
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseNetwork, type Network } from '../../base/config/webhooks.js'

type Address = Network[0]

/**
 * All IPv6 addresses of the public internet. The other IPv6 addresses embed IPv4 addresses or have a special purpose.
 */
const publicV6 = parseNetwork('2000::/3')
/** Public addresses under which a cloud serves its own machines: Azure's platform. */
const metadata = [parseNetwork('168.63.129.16')]

const isIn = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits)

/**
 * Parses an address; an IPv4 address inside an IPv6 address becomes IPv4. Returns null for forms that ipaddr.js accepts
 * but no resolver returns.
 */
const parse = (text: string): Address | null => (isIP(text) === 0 ? null : ipaddr.process(text))

/**
 * @param text an IPv4 address inside an IPv6 address counts as IPv4 @param own addresses of this machine: its public
 * addresses lead to services that a firewall hides from other machines
 */
export function isAllowedAddress(
  text: string,
  allowed: readonly Network[],
  own: readonly string[] = [],
): boolean {
  const address = parse(text)
  if (address === null) return false
  if (allowed.some((network) => isIn(address, network))) return true
  const normal = address.toNormalizedString()
  if (own.some((each) => parse(each)?.toNormalizedString() === normal)) return false
  if (address.range() !== 'unicast' || metadata.some((network) => isIn(address, network))) return false
  return address.kind() === 'ipv4' || isIn(address, publicV6)
}
