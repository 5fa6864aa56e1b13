/** Descriptions of clients, which clients publish as a metadata document or send in a registration. Pure. */
import { limits } from '@phonerack/shared'
import { isRedirect } from './redirects.js'

export interface Client {
  /** The `https` address of the metadata, or the ID from the registration. */
  id: string
  /** The client chooses its name: hostile text. */
  name: string
  /** The host that publishes the metadata; null for a registered client, for which no host vouches. */
  host: string | null
  redirectUris: readonly string[]
}

/** Characters of a client's name. */
const nameLength = 60

/** Removes characters that hide, reorder or break text. */
export const cleanName = (text: unknown): string =>
  typeof text === 'string'
    ? Array.from(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim())
        .slice(0, nameLength)
        .join('')
        .trim()
    : ''

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the usable redirect addresses; null if the list is not valid. */
export function redirectsOf(list: unknown): string[] | null {
  if (!Array.isArray(list) || list.length > limits.connectors.redirects) return null
  const usable = list.filter((each): each is string => typeof each === 'string' && isRedirect(each))
  return usable.length === 0 ? null : usable
}

/** @returns the client, or the reason why its document is not valid */
export function readDocument(clientId: string, text: string): Client | string {
  if (Buffer.byteLength(text) > limits.connectors.metadata)
    return `is larger than ${limits.connectors.metadata} bytes`
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return 'is not JSON'
  }
  if (!isObject(document)) return 'is not a JSON object'
  if (document['client_id'] !== clientId) return 'names another `client_id`'
  if (document['client_secret'] !== undefined) return 'contains a secret'
  if ((document['token_endpoint_auth_method'] ?? 'none') !== 'none')
    return 'names a `token_endpoint_auth_method` other than `none`'
  const redirectUris = redirectsOf(document['redirect_uris'])
  if (!redirectUris) return 'has no `redirect_uris` with `https` or loopback addresses'
  const { host } = new URL(clientId)
  return { id: clientId, name: cleanName(document['client_name']) || host, host, redirectUris }
}
