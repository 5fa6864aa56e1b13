/**
 * Finds clients by their metadata document, which is fetched under the rules for addresses of webhooks, or by the ID
 * that a registration returned. docs/decisions/0296
 */
import { ApiError, hashSecret, isId, limits, newId } from '@phonerack/shared'
import { createLru } from '../../base/lru.js'
import { type Network } from '../../base/config/webhooks.js'
import { type Core } from '../../base/core/core.js'
import { siteOf } from '../../base/failure-limit/network.js'
import { ownAddresses } from '../../events/webhooks/own-addresses.js'
import { sendAttempt } from '../../events/webhooks/send.js'
import { type ResolveOf } from '../../events/webhooks/resolve.js'
import { urlProblem } from '../../events/webhooks/url.js'
import { forgetUnusedClients } from './expiry.js'
import { cleanName, readDocument, redirectsOf, type Client } from './metadata.js'
import { OAuthError } from './oauth-error.js'

interface ClientsDeps {
  core: Core
  /** Networks that are not public, from which documents may be fetched. */
  allowed: readonly Network[]
  resolve: ResolveOf
  allowsRegistration: boolean
  /** Trusted certificates, for tests. */
  ca?: string
}

export interface Clients {
  allowsRegistration: boolean
  /** @param userId the user whose request causes the lookup @throws ApiError invalid_request */
  find(clientId: string, userId: string): Promise<Client>
  /** @param network the network of the client's address @throws OAuthError */
  register(metadata: Record<string, unknown>, network: string): Promise<Client & { createdAt: Date }>
}

const refused = (message: string): ApiError => new ApiError('invalid_request', { message, next: null })

/** Returns the problem of the address; null if it may be fetched. */
function addressProblem(clientId: string, allowed: readonly Network[]): string | null {
  const problem = urlProblem(clientId, { allowed, own: ownAddresses(), allowsHttp: false })
  if (problem !== null) return problem
  const url = new URL(clientId)
  if (url.pathname === '/') return 'must have a path'
  return url.href === clientId ? null : 'must be in normal form'
}

export function createClients({ core, allowed, resolve, allowsRegistration, ca }: ClientsDeps): Clients {
  const documents = createLru<Client>({ max: 500, ttl: limits.connectors.metadataKept })

  const fetchDocument = async (clientId: string, userId: string): Promise<Client> => {
    const problem = addressProblem(clientId, allowed)
    if (problem !== null) throw refused(`The address of the client's metadata ${problem}.`)
    const { body, isDelivered, status, error } = await sendAttempt({
      method: 'GET',
      url: clientId,
      body: '',
      allowed,
      own: ownAddresses(),
      headers: { accept: 'application/json', 'user-agent': 'Phonerack' },
      resolve: (name, signal) => resolve(name, signal, userId),
      signal: new AbortController().signal,
      withinMs: limits.connectors.metadataWithin,
      ...(ca === undefined ? {} : { ca }),
    })
    if (!isDelivered || body === null)
      throw refused(`The client's metadata could not be fetched: ${status ?? error}.`)
    const client = readDocument(clientId, body)
    if (typeof client === 'string') throw refused(`The client's metadata ${client}.`)
    return client
  }

  const findRegistered = async (clientId: string): Promise<Client> => {
    const row = allowsRegistration
      ? await core.db.connectorClient.findUnique({ where: { id: clientId } })
      : null
    if (!row) throw refused('There is no client with this ID.')
    return { id: row.id, name: row.name, host: null, redirectUris: row.redirectUris }
  }

  return {
    allowsRegistration,
    async find(clientId, userId) {
      if (isId('connectorClient', clientId)) return findRegistered(clientId)
      const known = documents.get(clientId)
      if (known) return known
      const client = await fetchDocument(clientId, userId)
      documents.set(clientId, client)
      return client
    },
    async register(metadata, network) {
      const redirectUris = redirectsOf(metadata['redirect_uris'])
      // Clients also send addresses of other schemes. The response lists the addresses that were kept.
      if (!redirectUris)
        throw new OAuthError('invalid_redirect_uri', 'redirect_uris must have an https or loopback address.')
      const name = cleanName(metadata['client_name']) || 'A client without a name'
      const client = { id: newId('connectorClient'), name, redirectUris, createdAt: core.clock.now() }
      await core.db.connectorClient.create({ data: { ...client, siteHash: hashSecret(siteOf(network)) } })
      await forgetUnusedClients(core.db)
      return { ...client, host: null }
    },
  }
}
