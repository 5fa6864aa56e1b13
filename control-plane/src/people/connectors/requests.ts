/** Reads an authorization request, in the order of RFC 6749: a browser never goes to an unknown address. */
import { ApiError } from '@phonerack/shared'
import { scopes, type Preset, type Scope } from '../../base/core/caller.js'
import { type Clients } from './clients.js'
import { type Client } from './metadata.js'
import { type OAuthErrorCode } from './oauth-error.js'
import { answerAt, isRegistered } from './redirects.js'

/** Limit of characters in a request's query. */
export const longestQuery = 8000

export interface Issuer {
  /** The address of the service, in the form that clients use. */
  issuer: string
  /** The address of `/mcp`, to which tokens are bound. */
  resource: string
}

export interface AuthorizationRequest {
  client: Client
  redirectUri: string
  /** The code challenge of PKCE, with S256. */
  challenge: string
  state: string | null
  /** The scopes that the client requested, beyond which it gets none. Empty: the client requested no scopes. */
  scopes: readonly Scope[]
  /** The rights that the page proposes. */
  preset: Preset
}

const refused = (message: string, redirectTo?: string): ApiError =>
  new ApiError('invalid_request', {
    message,
    next: null,
    ...(redirectTo === undefined ? {} : { details: { redirect_to: redirectTo } }),
  })

/** Returns the parameters of a query or form; null if a parameter was given twice. */
export function parametersOf(text: string): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (found.has(name)) return null
    // A parameter without a value counts as omitted.
    if (value !== '') found.set(name, value)
  }
  return found
}

/** Proposes reading to a client that requests only reading. Only a person may add the right to delete. */
const presetFor = (asked: readonly Scope[]): Preset =>
  asked.length > 0 && asked.every((each) => each === 'phones:read') ? 'read-only' : 'agent'

const scopesIn = (scope: string | undefined): Scope[] => {
  const asked = (scope ?? '').split(' ')
  return scopes.filter((each) => asked.includes(each))
}

const isChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** @throws ApiError invalid_request; with `details.redirect_to` if the client may receive the error */
export async function readRequest(
  clients: Clients,
  { issuer, resource }: Issuer,
  query: string,
  userId: string,
): Promise<AuthorizationRequest> {
  const given = parametersOf(query)
  if (!given) throw refused('A parameter of the request was given twice.')
  const clientId = given.get('client_id')
  if (clientId === undefined) throw refused('The request does not name its client.')
  const client = await clients.find(clientId, userId)
  const redirectUri = given.get('redirect_uri')
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirectUris))
    throw refused('The client has not registered the address to which the request leads back.')

  const state = given.get('state') ?? null
  const failed = (error: OAuthErrorCode, message: string): ApiError =>
    refused(message, answerAt(redirectUri, issuer, { error, error_description: message, state }))
  if (given.get('response_type') !== 'code')
    throw failed('unsupported_response_type', 'The response type must be code.')
  const challenge = given.get('code_challenge') ?? ''
  if (given.get('code_challenge_method') !== 'S256' || !isChallenge(challenge))
    throw failed('invalid_request', 'The request needs a code challenge with the method S256 (PKCE).')
  if (!isResource(given.get('resource'), resource))
    throw failed('invalid_target', `This service gives access to ${resource} only.`)
  const asked = scopesIn(given.get('scope'))
  return { client, redirectUri, challenge, state, scopes: asked, preset: presetFor(asked) }
}

/** Clients of earlier revisions of MCP omit the resource. */
export const isResource = (given: string | undefined, resource: string): boolean =>
  given === undefined || (URL.canParse(given) && new URL(given).href === new URL(resource).href)
