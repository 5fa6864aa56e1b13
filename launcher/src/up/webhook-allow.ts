/** The networks that are not public and to which `up` lets webhooks connect. docs/decisions/0272 */
import { isLoopback, isLoopbackUrl } from '@phonerack/shared'

/**
 * Returns the value of `PHONERACK_WEBHOOK_ALLOW`. A receiver on this machine is the natural one of a system that only this
 * machine reaches. Behind a proxy on this machine, others reach it too: the public address tells the difference.
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
