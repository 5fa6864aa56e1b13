/** The settings of events and webhooks. docs/decisions/0272 */
import ipaddr from 'ipaddr.js'
import { isLoopback, isLoopbackUrl, limits } from '@phonerack/shared'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'

/** An address and the length of its prefix. */
export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

export interface WebhooksConfig {
  /** Networks that are not public, to which webhooks may connect. */
  allowed: Network[]
  /** True: the service is unreachable from other machines, so webhooks need no `https`. */
  allowsHttp: boolean
}

/** @throws Error that names invalid text */
export function parseNetwork(text: string): Network {
  const withPrefix = text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`
  if (!ipaddr.isValidCIDR(withPrefix)) throw new Error(`"${text}" is not an address or network`)
  return ipaddr.parseCIDR(withPrefix)
}

export const entriesOf = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

const isNetwork = (text: string): boolean => {
  try {
    return parseNetwork(text)[1] >= 0
  } catch {
    return false
  }
}

/** A list of addresses or networks, separated by commas. Default: none. */
export const networkList = () =>
  z
    .string()
    .default('')
    .transform(entriesOf)
    .refine((entries) => entries.every(isNetwork), 'must be addresses or networks, such as 10.1.0.0/16')

export const webhookEnvironment = {
  PHONERACK_WEBHOOK_ALLOW: setting(
    networkList(),
    'Private addresses or networks, separated by commas, to which webhooks may connect.',
  ),
  PHONERACK_EVENT_DAYS: setting(
    z.coerce
      .number()
      .int()
      .min(1)
      .default(limits.events.life / 86_400),
    'Life of events, and of deliveries of webhooks.',
    { unit: 'days' },
  ),
}

type Environment = z.infer<z.ZodObject<typeof webhookEnvironment>>

/**
 * Whether this service is unreachable from other machines. @param baseUrl the public address: behind a proxy on the
 * same machine, it differs from the listener's @param host the address of the listener
 */
export const isLocalOnly = (baseUrl: string, host: string): boolean =>
  isLoopback(host) && isLoopbackUrl(baseUrl)

export const readWebhooks = (env: Environment, baseUrl: string, host: string): WebhooksConfig => ({
  allowed: env.PHONERACK_WEBHOOK_ALLOW.map(parseNetwork),
  allowsHttp: isLocalOnly(baseUrl, host),
})
