/** The settings of the listener for tunnels of hosts. docs/decisions/0227 */
import { tunnelOfferSchema } from '@phonerack/shared'
import { readListen, type Listen } from '@phonerack/shared/metrics'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'

export interface TunnelsConfig {
  listen: Listen
  /** `host:port` at which hosts reach this replica; null: the address of the listener. */
  address: string | null
}

export const tunnelEnvironment = {
  PHONERACK_TUNNEL_LISTEN: setting(
    z
      .string()
      .refine((text) => readListen(text) !== null, 'must be host:port')
      .optional(),
    'Address at which this replica accepts tunnels of hosts without an open port, by mutual TLS.',
    { unit: 'host:port' },
  ),
  PHONERACK_TUNNEL_ADDRESS: setting(
    tunnelOfferSchema.shape.address.optional(),
    'Address at which hosts reach this replica and no other replica. Required if the listener has all addresses of the machine.',
    { unit: 'host:port', fallback: '`PHONERACK_TUNNEL_LISTEN`' },
  ),
}

type Environment = z.infer<z.ZodObject<typeof tunnelEnvironment>>

/** True if no address is configured at which hosts could connect. */
export const needsTunnelAddress = ({
  PHONERACK_TUNNEL_LISTEN: listen,
  PHONERACK_TUNNEL_ADDRESS: address,
}: Environment): boolean => address === undefined && /^(0\.0\.0\.0|\[::\]):/.test(listen ?? '')

export function readTunnels(env: Environment): TunnelsConfig | null {
  const { PHONERACK_TUNNEL_LISTEN: text, PHONERACK_TUNNEL_ADDRESS: address = null } = env
  const listen = text === undefined ? null : readListen(text)
  return listen === null ? null : { listen, address }
}
