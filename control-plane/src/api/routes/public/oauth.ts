/**
 * The authorization server for clients of `/mcp`: its metadata, and the exchange of codes and tokens. A person consents
 * in the console. Errors have the form of RFC 6749. docs/decisions/0296
 */
import { ApiError, hashSecret, limits } from '@phonerack/shared'
import {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { type Clients } from '../../../people/connectors/clients.js'
import { OAuthError } from '../../../people/connectors/oauth-error.js'
import { isResource, longestQuery, parametersOf, type Issuer } from '../../../people/connectors/requests.js'
import {
  exchangeCode,
  knownTokens,
  refreshTokens,
  revokeToken,
  type Tokens,
} from '../../../people/connectors/tokens.js'
import { scopes } from '../../../base/core/caller.js'
import { type Core } from '../../../base/core/core.js'
import { addressOf } from '../../../base/failure-limit/network.js'
import { type FailureLimit } from '../../../base/failure-limit/failure-limit.js'
import { toApiError } from '../../http/errors.js'
import { parseJson } from '../../http/json.js'
import { countAttemptFrom } from '../../../people/users/attempts.js'

interface OAuthDeps extends Issuer {
  core: Core
  clients: Clients
  failureLimit: FailureLimit
  consoleOrigin: string
}

/** Bytes of a request. */
const bodyLimit = 16_384

/** The right to delete phones is not proposed; a person may add it. */
const proposedScopes = scopes.filter((scope) => scope !== 'phones:delete')

type Parameters = ReadonlyMap<string, string>

const need = (parameters: Parameters, name: string): string => {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** Pages of any origin may read the answers: they contain no cookies, and the request itself carries its secrets. */
const open = (reply: FastifyReply): FastifyReply => reply.header('access-control-allow-origin', '*')

function asOAuthError(error: unknown, request: FastifyRequest): OAuthError {
  if (error instanceof OAuthError) return error
  const { status, message, retryAfterSeconds = null } = toApiError(error, request)
  const code =
    status === 429 || status === 503
      ? 'temporarily_unavailable'
      : status < 500
        ? 'invalid_request'
        : 'server_error'
  return new OAuthError(code, message.replace(/[^\x20-\x7e]|["\\]/g, ' '), status, retryAfterSeconds)
}

const tooMany = (seconds: number): OAuthError =>
  new OAuthError('temporarily_unavailable', 'This address has sent too many requests.', 429, seconds)

export const oauthPlugin =
  (deps: OAuthDeps): FastifyPluginAsync =>
  (app) => {
    app.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, hide: true }
    })
    app.setErrorHandler((error, request, reply) => {
      const { code, description, status, retryAfterSeconds } = asOAuthError(error, request)
      request.errorCode = code
      if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds))
      return open(reply).code(status).send({ error: code, error_description: description })
    })
    addMetadata(app, deps)
    addExchange(app, deps)
    if (deps.clients.allowsRegistration) addRegistration(app, deps)
    return Promise.resolve()
  }

/** Answers preflights of pages. */
const addPreflight = (app: FastifyInstance, url: string): void =>
  void app.options(url, (_request, reply) =>
    open(reply)
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'Authorization, Content-Type, Accept, Mcp-Protocol-Version',
        'access-control-max-age': '600',
      })
      .send(),
  )

function addMetadata(app: FastifyInstance, { issuer, resource, clients, consoleOrigin }: OAuthDeps): void {
  const protectedResource = {
    resource,
    resource_name: 'Phonerack',
    authorization_servers: [issuer],
    scopes_supported: proposedScopes,
    bearer_methods_supported: ['header'],
  }
  const server = {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    ...(clients.allowsRegistration ? { registration_endpoint: `${issuer}/oauth/register` } : {}),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: scopes,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  }
  const documents = {
    '/.well-known/oauth-protected-resource': protectedResource,
    '/.well-known/oauth-protected-resource/mcp': protectedResource,
    '/.well-known/oauth-authorization-server': server,
  }
  for (const [url, document] of Object.entries(documents)) {
    app.get(url, (_request, reply) => open(reply).send(document))
    addPreflight(app, url)
  }
  // The query is passed on as one encoded value, because the page's router would change values that look like numbers.
  app.get('/oauth/authorize', (request, reply) => {
    const query = /\?(.*)$/s.exec(request.url)?.[1] ?? ''
    if (query.length > longestQuery) throw new OAuthError('invalid_request', 'The request is too long.')
    const packed = `q_${Buffer.from(query).toString('base64url')}`
    return reply
      .headers({ 'referrer-policy': 'no-referrer' })
      .redirect(`${consoleOrigin}/console/authorize?request=${packed}`, 303)
  })
}

/** Options of routes that take a form, as OAuth requires. */
const form = {
  bodyLimit,
  config: { rawBody: true },
  onRequest: ({ headers }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const [type = ''] = (headers['content-type'] ?? '').split(';')
    if (type.trim().toLowerCase() === 'application/x-www-form-urlencoded') return done()
    done(new OAuthError('invalid_request', 'The content type must be application/x-www-form-urlencoded.'))
  },
}

const textOf = ({ readBody }: FastifyRequest): string =>
  Buffer.isBuffer(readBody) ? readBody.toString('utf8') : ''

function formOf(request: FastifyRequest): Parameters {
  const parameters = parametersOf(textOf(request))
  if (!parameters) throw new OAuthError('invalid_request', 'A parameter was given twice.')
  return parameters
}

function addExchange(app: FastifyInstance, { core, failureLimit, resource }: OAuthDeps): void {
  const known = knownTokens(core)
  app.addHook('onClose', (_app, done) => {
    known.close()
    done()
  })

  /** Counts refused requests per address, as for keys: a valid secret is accepted from a limited address too. */
  const guarded = async (
    request: FastifyRequest,
    secret: string,
    work: () => Promise<Tokens>,
  ): Promise<Tokens> => {
    const network = failureLimit.networkOf(request.raw)
    if (failureLimit.isLimited(network) && !(await known.has(hashSecret(secret)))) throw tooMany(60)
    try {
      return await work()
    } catch (error) {
      if (error instanceof OAuthError && error.code === 'invalid_grant') {
        failureLimit.failed(network)
        known.forget(hashSecret(secret))
      }
      throw error
    }
  }

  const tokensFor = (request: FastifyRequest, parameters: Parameters): Promise<Tokens> => {
    const from = { address: addressOf(request), requestId: request.id }
    const clientId = need(parameters, 'client_id')
    if (!isResource(parameters.get('resource'), resource))
      throw new OAuthError('invalid_target', `This service gives access to ${resource} only.`)
    switch (need(parameters, 'grant_type')) {
      case 'authorization_code': {
        const code = need(parameters, 'code')
        const verifier = need(parameters, 'code_verifier')
        const redirectUri = parameters.get('redirect_uri') ?? null
        return guarded(request, code, () =>
          exchangeCode(core, from, { clientId, code, verifier, redirectUri }),
        )
      }
      case 'refresh_token': {
        const token = need(parameters, 'refresh_token')
        return guarded(request, token, () => refreshTokens(core, from, { clientId, token }))
      }
      default:
        throw new OAuthError(
          'unsupported_grant_type',
          'The grant type must be authorization_code or refresh_token.',
        )
    }
  }

  addPreflight(app, '/oauth/token')
  app.post('/oauth/token', form, async (request, reply) =>
    open(reply).send(await tokensFor(request, formOf(request))),
  )

  addPreflight(app, '/oauth/revoke')
  app.post('/oauth/revoke', form, async (request, reply) => {
    const parameters = formOf(request)
    const token = need(parameters, 'token')
    const network = failureLimit.networkOf(request.raw)
    if (failureLimit.isLimited(network) && !(await known.has(hashSecret(token)))) throw tooMany(60)
    const isKnown = await revokeToken(
      core,
      { address: addressOf(request), requestId: request.id },
      { clientId: need(parameters, 'client_id'), token },
    )
    if (!isKnown) failureLimit.failed(network)
    return open(reply).send({})
  })
}

function addRegistration(app: FastifyInstance, { core, clients, failureLimit }: OAuthDeps): void {
  const { registeredPerHour: max, registeredPerHourOfSite: maxOfSite } = limits.connectors
  addPreflight(app, '/oauth/register')
  app.post('/oauth/register', { bodyLimit, config: { rawBody: true } }, async (request, reply) => {
    const network = failureLimit.networkOf(request.raw)
    const limit = { max, maxOfSite, window: 3600 }
    const seconds = await countAttemptFrom(core.db, 'registration', network, limit)
    if (seconds !== null) throw tooMany(seconds)
    const client = await clients.register(metadataOf(request), network)
    return open(reply)
      .code(201)
      .send({
        client_id: client.id,
        client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
        client_name: client.name,
        redirect_uris: client.redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      })
  })
}

/** @throws OAuthError invalid_client_metadata */
function metadataOf(request: FastifyRequest): Record<string, unknown> {
  try {
    const metadata: unknown = parseJson(Buffer.from(textOf(request)))
    if (typeof metadata === 'object' && metadata !== null) return metadata as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  throw new OAuthError('invalid_client_metadata', 'The metadata must be a JSON object.')
}
