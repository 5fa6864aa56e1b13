/** The identity providers of the configuration, by the ID that paths contain. */
import { type SignInConfig } from '../../../base/config/sign-in.js'
import { ownAddresses } from '../../../events/webhooks/own-addresses.js'
import { createResolve } from '../../../events/webhooks/resolve.js'
import { createGitHubProvider } from './github.js'
import { createOidcProvider } from './oidc.js'
import { createOutbound } from './outbound.js'
import { type Provider } from './types.js'

export type Providers = ReadonlyMap<string, Provider>

/** No request is sent before the first sign-in, so an unavailable provider does not prevent the start. */
export function createProviders(
  { providers, allowed, allowsHttp }: SignInConfig,
  clock: { now(): Date },
): Providers {
  const outbound = createOutbound({ allowed, allowsHttp, resolve: createResolve(), own: ownAddresses })
  return new Map(
    providers.map((config) => [
      config.id,
      config.kind === 'github'
        ? createGitHubProvider(config, outbound)
        : createOidcProvider(config, { outbound, clock }),
    ]),
  )
}
