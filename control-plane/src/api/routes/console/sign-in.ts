/**
 * Sign-in and sign-out, passkeys, and the current user. better-auth does the work, and only the endpoints called here
 * are reachable.
 */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  countAttempt,
  forgetAttempts,
  perAccount,
  type AttemptLimit,
} from '../../../people/users/attempts.js'
import { authPath } from '../../../people/users/auth-settings.js'
import { listProjectsOf } from '../../../people/users/members.js'
import { passwordAttempts } from '../../../people/users/passwords.js'
import { notePasskey } from '../../../people/users/sessions.js'
import { nameSchema } from '../../../base/validation/fields.js'
import { endEarlier } from './begin-session.js'
import { actorOf, apiPath, authHeaders, csrfTokenFor, type GateDeps, clientOf } from './gate.js'
import { sessionAnswer } from './answers.js'
import { route } from './route.js'

const tooMany = (seconds: number): ApiError =>
  new ApiError('rate_limited', {
    message: 'Too many attempts to sign in.',
    next: 'Wait, or sign in with a passkey.',
    retryAfterSeconds: seconds,
  })

interface AuthError {
  message?: string
  code?: string
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { message = 'The sign-in failed.', code } = (await response.json().catch(() => ({}))) as AuthError
  if (response.status === 429) return tooMany(Number(response.headers.get('x-retry-after')) || 60)
  if (response.status === 401)
    return new ApiError('unauthorized', {
      message:
        code === 'PASSKEY_NOT_FOUND'
          ? 'This service does not have this passkey.'
          : 'The e-mail address or the password is not correct.',
      next: null,
      details: { reason: 'refused' },
    })
  if (response.status >= 500) return new ApiError('internal_error')
  return new ApiError('invalid_request', { message, next: null })
}

/**
 * Forwards the request to better-auth with only the named fields: its endpoints accept more fields, such as addresses
 * to redirect to. @param body null for a GET @throws ApiError
 */
async function handOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { auth, config }: GateDeps,
  body: object | null,
): Promise<unknown> {
  const headers = authHeaders(request)
  if (body !== null) headers.set('content-type', 'application/json')
  const path = (request.routeOptions.url ?? '').slice(`${apiPath}/auth`.length)
  const { handler } = await auth()
  const response = await handler(
    new Request(`${config.origin}${authPath}${path}`, {
      method: request.method,
      headers,
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    }),
  )
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
  if (!response.ok) throw await refusalOf(response)
  return response.json()
}

/** Limits the passwords that one client tries, at all accounts together. */
const perClient: AttemptLimit = { max: 20, window: 60 }

const credentials = z.object({ email: z.string().max(200), password: z.string().max(1000) })
const noFields = z.object({})
const assertion = z.object({ response: z.looseObject({ id: z.string().max(2000) }) })
const attestation = z.object({
  response: z.looseObject({ id: z.string().max(2000) }),
  name: nameSchema.optional(),
})

export function addSignIn(app: FastifyInstance, deps: GateDeps & { baseUrl: string }): void {
  const { core, config, mailer, signUp, providers, baseUrl } = deps

  route(app, 'GET /session', { answer: sessionAnswer }, async (request, reply) => {
    const signedIn = request.person?.signedIn ?? null
    return {
      csrf_token: csrfTokenFor(request, reply, deps),
      user: signedIn && {
        id: signedIn.user.id,
        name: signedIn.user.name,
        email: signedIn.user.email,
        is_operator: signedIn.user.isOperator,
      },
      projects: signedIn
        ? (await listProjectsOf(core, signedIn.user)).map(({ id, name, role }) => ({ id, name, role }))
        : [],
      // The page compares its own origin, which this server cannot always see behind a proxy.
      passkey_origins: config.passkeys?.origins ?? [],
      has_mail: mailer !== null,
      can_sign_up: mailer !== null && signUp.who !== 'invite',
      providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
      console_url: `${config.origin}/console`,
      has_operator_pages: config.hasOperatorPages && signedIn?.user.isOperator === true,
      /** The address of the operators' pages; null if this console has the pages, or the user is not an operator. */
      operator_console_url:
        !config.hasOperatorPages && signedIn?.user.isOperator === true
          ? `${config.operatorOrigin}/console`
          : null,
      base_url: baseUrl,
    }
  })

  route(app, 'POST /auth/sign-in/email', { body: credentials }, async (request, reply) => {
    const body = request.body
    // The limit of the address comes first, so that one address cannot lock many accounts.
    const wait = await countAttempt(core.db, `sign-in ${clientOf(request)}`, perClient)
    if (wait !== null) throw tooMany(wait)
    const account = passwordAttempts(config.cookiePrefix, body.email)
    // The attempt is counted before it is made, so that concurrent attempts count too.
    const seconds = await countAttempt(core.db, account, perAccount)
    if (seconds !== null) throw tooMany(seconds)
    await handOn(request, reply, deps, body)
    await forgetAttempts(core.db, account)
    await endEarlier(request, core)
    return { ok: true }
  })

  const withPasskeys = {
    preHandler: (_request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void): void =>
      done(
        config.passkeys === null
          ? new ApiError('feature_unavailable', { message: 'Passkeys are not available here.', next: null })
          : undefined,
      ),
  }
  // Only these answers of better-auth are passed on: its other answers contain the session's token.
  route(app, 'GET /auth/passkey/generate-authenticate-options', withPasskeys, (request, reply) =>
    handOn(request, reply, deps, null),
  )
  route(app, 'GET /auth/passkey/generate-register-options', withPasskeys, (request, reply) =>
    handOn(request, reply, deps, null),
  )
  route(app, 'POST /auth/sign-out', { body: noFields }, async (request, reply) => {
    await handOn(request, reply, deps, request.body)
    return { ok: true }
  })
  route(
    app,
    'POST /auth/passkey/verify-authentication',
    { ...withPasskeys, body: assertion },
    async (request, reply) => {
      await handOn(request, reply, deps, request.body)
      await endEarlier(request, core)
      return { ok: true }
    },
  )
  route(
    app,
    'POST /auth/passkey/verify-registration',
    { ...withPasskeys, body: attestation },
    async (request, reply) => {
      await handOn(request, reply, deps, request.body)
      await notePasskey(core, actorOf(request))
      return { ok: true }
    },
  )
}
