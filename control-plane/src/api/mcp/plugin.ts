/**
 * POST /mcp: agent tools over Streamable HTTP, without sessions. The key is checked as for `/v1`, and each tool sends its
 * requests to the routes of `/v1`. docs/decisions/0260
 */
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { ApiError, limits, type Logger } from '@phonerack/shared'
import type {
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  RouteShorthandOptions,
} from 'fastify'
import { addAuth, callerOf, type AuthDeps } from '../http/auth.js'
import { checkContentType } from '../http/body.js'
import { sendInProcess } from '../http/in-process.js'
import { parseJson } from '../http/json.js'
import { profileHeader } from '../../rental/keys/profile.js'
import { answerForm, asJson, bothForms } from './answer-form.js'
import { type Send } from './api.js'
import { readRequest } from './coerce.js'
import { createMcpServer } from './server.js'

export interface McpOptions {
  auth: AuthDeps
  /** Public base address, without a trailing slash. */
  baseUrl: string
  /** Origins of web pages that may use `/mcp`. */
  origins: readonly string[]
  log: Logger
}

const url = '/mcp'

export const mcpPlugin =
  ({ auth, baseUrl, origins, log }: McpOptions): FastifyPluginCallback =>
  (app, _options, done) => {
    app.addHook('onRequest', (request, reply, next) => next(checkOrigin(request, reply, origins)))
    app.addHook('onSend', (request, reply, _payload, next) => {
      if (reply.statusCode === 401) reply.header('www-authenticate', challengeFor(request, baseUrl))
      next()
    })
    addAuth(app, auth, { takesTokens: true })
    app.options(url, { schema: { hide: true }, config: { isOpen: true } }, (_request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers':
            'Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Phonerack-Profile',
          'access-control-max-age': '600',
        })
        .send(),
    )
    const route: RouteShorthandOptions = {
      // `act` carries the largest JSON body of `/v1`.
      bodyLimit: limits.actionsBody,
      schema: { hide: true },
      config: { anyScope: true, rawBody: true },
      onRequest: (request, _reply, next) => {
        checkContentType(request.headers['content-type'])
        next()
      },
    }
    // People also write the address with a trailing slash.
    for (const each of [url, `${url}/`])
      app.post(each, route, async (request, reply) => {
        const message = readRequest(readMessage(request.readBody))
        const form = answerForm(request.headers.accept)
        const headers = headersOf(request)
        if (form !== null) headers.set('accept', bothForms)
        const asked = new Request(`${baseUrl}${url}`, {
          method: 'POST',
          headers,
          body: '',
          signal: auth.lifetimes.work(reply),
        })
        const answer = await serving(app, request, log, form === 'sse' ? 'sse' : 'auto').fetch(asked, {
          parsedBody: message,
        })
        return reply.send(form === 'json' ? await asJson(answer) : answer)
      })
    done()
  }

/** A handler for one request: its tools act with the key and the profile of that request. */
function serving(
  app: FastifyInstance,
  request: FastifyRequest,
  log: Logger,
  responseMode: 'auto' | 'sse',
): McpHttpHandler {
  const authorization = request.headers.authorization ?? ''
  const { profile } = callerOf(request)
  const send: Send = ({ method, path, query = {}, json, bytes, idempotencyKey }, requestSignal, batch) =>
    sendInProcess(
      app,
      { requestId: request.id, signal: requestSignal, batch, client: request.headers['user-agent'] ?? null },
      {
        method,
        url: path,
        query: Object.fromEntries(
          Object.entries(query).flatMap(([name, value]) =>
            value === undefined ? [] : [[name, String(value)]],
          ),
        ),
        headers: {
          authorization,
          [profileHeader]: profile,
          ...(json ? { 'content-type': 'application/json' } : {}),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(json ? { payload: JSON.stringify(json) } : bytes ? { payload: bytes } : {}),
      },
    )
  return createMcpHandler(() => createMcpServer({ send, requestId: request.id, log }), {
    responseMode,
    // The list of tools never changes while a server runs, so no client needs a subscription.
    maxSubscriptions: 0,
    onerror: (error) => log.debug({ err: error, request_id: request.id }, 'an MCP request was refused'),
  })
}

/** @throws ApiError invalid_request for a batch, validation_failed for a body that is not a JSON object */
function readMessage(body: unknown): unknown {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  if (/^\s*\[/.test(bytes.subarray(0, 100).toString('latin1')))
    throw new ApiError('invalid_request', {
      message: 'JSON-RPC batches are not supported.',
      next: 'Send each message in a separate request.',
    })
  return parseJson(bytes)
}

/** Points clients that can sign in to the authorization server (RFC 9728). docs/decisions/0296 */
function challengeFor({ headers }: FastifyRequest, baseUrl: string): string {
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`
  return headers.authorization === undefined
    ? `Bearer ${metadata}`
    : `Bearer error="invalid_token", ${metadata}`
}

/** The body reader has checked and removed the content type, which the library expects. */
function headersOf({ headers }: FastifyRequest): Headers {
  const result = new Headers({ 'content-type': 'application/json' })
  for (const [name, value] of Object.entries(headers))
    if ((name === 'accept' || name.startsWith('mcp-')) && typeof value === 'string') result.set(name, value)
  return result
}

/** Refuses pages whose origin is not listed. Programs send no Origin. */
function checkOrigin(
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): ApiError | undefined {
  if (origin === undefined) return undefined
  if (!origins.includes(origin))
    return new ApiError('browser_requests_not_allowed', {
      message: 'Requests to `/mcp` from this Origin are refused.',
      next: 'Ask the operator of this service to add the origin to PHONERACK_MCP_ORIGINS.',
    })
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'X-Request-Id, Retry-After, WWW-Authenticate',
    vary: 'Origin',
  })
  return undefined
}
