/** The networks that are not public and to which `up` lets webhooks connect. docs/decisions/0272 */
import { isLoopback, isLoopbackUrl } from '@phonerack/shared'

/**
 * Returns the value of `PHONERACK_WEBHOOK_ALLOW`. If only this machine reaches the API, webhooks may connect
 * to receivers on this machine. Behind a proxy on this machine, other machines reach the API too, which the
 * public address shows.
 * @param host the address on which the API listens
 * @param baseUrl its public address
 */
export function webhookAllow(
  host: string,
  baseUrl: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { PHONERACK_WEBHOOK_ALLOW: chosen } = env
  if (chosen !== undefined) return chosen
  if (!isLoopback(host)) return ''
  // The control plane refuses an address that is not a URL.
  return URL.canParse(baseUrl) && isLoopbackUrl(baseUrl) ? '127.0.0.0/8,::1' : ''
}
