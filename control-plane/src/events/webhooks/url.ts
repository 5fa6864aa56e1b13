/** Checks the URLs of webhooks. Their names are resolved and checked at each attempt. Pure. */
import { isIP } from 'node:net'
import { limits } from '@phonerack/shared'
import { type Network } from '../../base/config/webhooks.js'
import { isAllowedAddress } from './address.js'

export interface UrlRules {
  allowed: readonly Network[]
  /** Addresses of this machine. Default: none. */
  own?: readonly string[]
  /** Whether `http` is allowed. Set only for installations that no other machine can reach. */
  allowsHttp: boolean
}

/** Returns the host of a URL as an address or name: IPv6 addresses without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Returns the problem of a URL, as a message for its field; null if the URL is valid. */
export function urlProblem(text: string, { allowed, own, allowsHttp }: UrlRules): string | null {
  if (Array.from(text).length > limits.webhooks.url)
    return `must have at most ${limits.webhooks.url} characters`
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp))
    return allowsHttp ? 'must be an `https` or `http` URL' : 'must be an `https` URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.hash !== '') return 'must not contain a fragment'
  const host = hostOf(url)
  if (isIP(host) !== 0 && !isAllowedAddress(host, allowed, own))
    return 'must not be a private, loopback, link-local or other special address, nor one of this service'
  return null
}
