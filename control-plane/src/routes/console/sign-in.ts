/** Sign-in and out, passkeys, and the current user. better-auth does the work; only these of its endpoints are reachable. */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { countAttempt, forgetAttempts, perAccount } from '../../users/attempts.js'
import { authPath } from '../../users/auth.js'
import { listProjectsOf } from '../../users/members.js'
import { passwordAttempts } from '../../users/passwords.js'
import { endSession, notePasskey } from '../../users/sessions.js'
import { actorOf, apiPath, authHeaders, csrfTokenFor, type GateDeps } from './gate.js'

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

/** Hands the request on to better-auth. @throws ApiError */
async function handOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { auth, config }: GateDeps,
): Promise<unknown> {
  const headers = authHeaders(request)
  const isRead = request.method === 'GET'
  if (!isRead) headers.set('content-type', 'application/json')
  const path = (request.routeOptions.url ?? '').slice(`${apiPath}/auth`.length)
  const { search } = new URL(request.url, config.origin)
  const response = await auth.handler(
    new Request(`${config.origin}${authPath}${path}${search}`, {
      method: request.method,
      headers,
      ...(isRead ? {} : { body: JSON.stringify(request.readBody ?? {}) }),
    }),
  )
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
  if (!response.ok) throw await refusalOf(response)
  return response.json()
}

/** Another sign-in in the same browser, such as the one before a new key, replaces its session. */
const endEarlier = async ({ person }: FastifyRequest, core: GateDeps['core']): Promise<void> => {
  if (person?.signedIn) await endSession(core, person.signedIn.sessionId)
}

export function addSignIn(app: FastifyInstance, deps: GateDeps & { baseUrl: string }): void {
  const { core, config, mailer, baseUrl } = deps

  app.get(`${apiPath}/session`, async (request, reply) => {
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
      console_url: `${config.origin}/console`,
      base_url: baseUrl,
    }
  })

  app.post(`${apiPath}/auth/sign-in/email`, async (request, reply) => {
    const { email } = (request.readBody ?? {}) as { email?: unknown }
    const account = passwordAttempts(typeof email === 'string' ? email : '')
    // Before the attempt, so that concurrent ones are counted too.
    const seconds = await countAttempt(core.db, account, perAccount)
    if (seconds !== null) throw tooMany(seconds)
    await handOn(request, reply, deps)
    await forgetAttempts(core.db, account)
    await endEarlier(request, core)
    return { ok: true }
  })

  const unchanged = [
    ['POST', '/auth/sign-out'],
    ['GET', '/auth/passkey/generate-authenticate-options'],
    ['POST', '/auth/passkey/verify-authentication'],
    ['GET', '/auth/passkey/generate-register-options'],
    ['POST', '/auth/passkey/verify-registration'],
  ] as const
  for (const [method, path] of unchanged)
    app.route({
      method,
      url: `${apiPath}${path}`,
      handler: async (request, reply) => {
        if (path.startsWith('/auth/passkey/') && config.passkeys === null)
          throw new ApiError('feature_unavailable', {
            message: 'Passkeys are not available here.',
            next: null,
          })
        const answer = await handOn(request, reply, deps)
        if (path === '/auth/passkey/verify-authentication') await endEarlier(request, core)
        if (path === '/auth/passkey/verify-registration') await notePasskey(core, actorOf(request))
        // The others' answers contain the session's token.
        return method === 'GET' ? answer : { ok: true }
      },
    })
}
