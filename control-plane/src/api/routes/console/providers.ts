/**
 * Sign-in at identity providers, and the providers' accounts that a user has added. The provider redirects the browser
 * to a page of the console, which sends the response here: a GET from another site changes nothing, and this server
 * redirects nowhere. docs/decisions/0290
 */
import { ApiError } from '@phonerack/shared'
import { BetterAuthError } from '@better-auth/core/error'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { addressOf } from '../../../base/failure-limit/network.js'
import {
  hasPassword,
  linkAccount,
  listAccounts,
  unlinkAccount,
  userOfAccount,
} from '../../../people/users/accounts.js'
import { countAttempt, type AttemptLimit } from '../../../people/users/attempts.js'
import { stateLife } from '../../../people/users/auth-settings.js'
import { signInByProvider } from '../../../people/users/provider-sign-in.js'
import type { Purpose } from '../../../people/users/provider-state.js'
import { ProviderFailed, type Provider } from '../../../people/users/providers/types.js'
import { beginSession } from './begin-session.js'
import { actorOf, authHeaders, clientOf, signedInOf, type GateDeps } from './gate.js'
import { accountsAnswer, addressAnswer, finishedAnswer } from './answers.js'
import { route } from './route.js'

/** Limits the sign-ins that an address may begin or finish. */
const perAddress: AttemptLimit = { max: 40, window: 60 }

/** Milliseconds for all requests to a provider in one step, while a person waits. */
const patienceMs = 10_000

const noFields = z.strictObject({})
const answerBody = z.strictObject({
  code: z.string().min(1).max(4000),
  state: z.string().min(1).max(200),
  /** The issuer that the response names (RFC 9207). */
  iss: z.string().max(1000).optional(),
  /** The token of an invitation that the person opened before signing in. */
  invitation: z.string().max(100).optional(),
  /**
   * True: another account has the person's address. That account loses the address, unless someone has verified it.
   */
  replaces: z.boolean().optional(),
})

type OfProvider = { Params: { provider: string } }

const ended = (): ApiError =>
  new ApiError('invalid_request', {
    message: 'This sign-in has ended, or began in another browser.',
    next: 'Try again.',
    details: { reason: 'state' },
  })

const notYours = ({ name }: Provider): ApiError =>
  new ApiError('invalid_request', {
    message: `Your account does not use this account of ${name}.`,
    next: 'Confirm in another way.',
    details: { reason: 'other_account' },
  })

export function addProviders(app: FastifyInstance, deps: GateDeps): void {
  const { core, config, auth, providers, signUp } = deps

  const providerOf = async (request: FastifyRequest<OfProvider>): Promise<Provider> => {
    const seconds = await countAttempt(core.db, `provider ${clientOf(request)}`, perAddress)
    if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
    const provider = providers.get(request.params.provider)
    if (!provider)
      throw new ApiError('not_found', { message: 'There is no such identity provider.', next: null })
    return provider
  }
  const redirectOf = ({ id }: Provider): string => `${config.origin}/console/callback/${id}`

  /** Runs requests to a provider with a deadline. @throws ApiError invalid_request */
  const within = async <T>(
    request: FastifyRequest,
    { name }: Provider,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    try {
      return await ask(AbortSignal.timeout(patienceMs))
    } catch (error) {
      if (!(error instanceof ProviderFailed)) throw error
      request.log.warn({ err: error }, 'a sign-in at an identity provider failed')
      throw new ApiError('invalid_request', {
        message: `The sign-in at ${name} failed.`,
        next: 'Try again.',
        details: { reason: 'provider_failed' },
      })
    }
  }

  const setCookies = (reply: FastifyReply, headers: Headers): void => {
    for (const cookie of headers.getSetCookie()) reply.header('set-cookie', cookie)
  }

  /** Returns the address of the provider to which the page navigates. */
  const begin = async (
    request: FastifyRequest<OfProvider>,
    reply: FastifyReply,
    link: Purpose['link'],
  ): Promise<{ url: string }> => {
    const provider = await providerOf(request)
    const confirm = link === null ? (request.person?.signedIn?.user.id ?? null) : null
    const { api } = await auth()
    const { headers, response } = await api.beginProvider({
      body: { provider: provider.key, link, confirm },
      headers: authHeaders(request),
      returnHeaders: true,
    })
    const flow = { ...response, redirectUri: redirectOf(provider), isAgain: confirm !== null }
    const url = await within(request, provider, (signal) => provider.authorizationUrl(flow, signal))
    setCookies(reply, headers)
    return { url: url.href }
  }

  /** Each state can be used once. @throws ApiError invalid_request */
  const takeState = async (request: FastifyRequest, reply: FastifyReply, state: string) => {
    const { api } = await auth()
    try {
      const { headers, response } = await api.endProvider({
        body: { state },
        headers: authHeaders(request),
        returnHeaders: true,
      })
      setCookies(reply, headers)
      // better-auth reads and deletes the state in two steps, so two requests could use it.
      const again = await countAttempt(core.db, `state ${state}`, { max: 1, window: stateLife })
      if (again === null) return response
    } catch (error) {
      if (!(error instanceof BetterAuthError)) throw error
    }
    throw ended()
  }

  route(app, 'POST /auth/providers/:provider', { body: noFields, answer: addressAnswer }, (request, reply) =>
    begin(request, reply, null),
  )

  route(
    app,
    'POST /auth/providers/:provider/callback',
    { body: answerBody, answer: finishedAnswer },
    async (request, reply) => {
      const { code, state, iss = null, invitation = null, replaces = false } = request.body
      const provider = await providerOf(request)
      const { purpose, verifier, nonce } = await takeState(request, reply, state)
      // A response of one provider must not be used at another provider.
      if (purpose.provider !== provider.key) throw ended()
      const { link, confirm } = purpose
      const signedIn = request.person?.signedIn ?? null
      if (link !== null && (signedIn?.user.id !== link.userId || signedIn.sessionId !== link.sessionId))
        throw ended()
      const answer = { code, issuer: iss, verifier, nonce, redirectUri: redirectOf(provider) }
      const identity = await within(request, provider, (signal) => provider.identify(answer, signal))
      if (link !== null) {
        await linkAccount(core, actorOf(request), provider, identity)
        return { is_link: true, is_new: false }
      }
      // A confirmation must not sign in to another account, or create an account.
      if (confirm !== null && (await userOfAccount(core, provider, identity)) !== confirm)
        throw notYours(provider)
      const from = { address: addressOf(request), requestId: request.id }
      const arrival = { provider, identity, invitation, replaces }
      const { userId, isNew } = await signInByProvider(core, signUp, from, arrival)
      await beginSession(request, reply, deps, userId)
      return { is_link: false, is_new: isNew }
    },
  )

  route(app, 'GET /me/accounts', { answer: accountsAnswer }, async (request) => ({
    data: await listAccounts(core, signedInOf(request).user.id, providers.values()),
    has_password: await hasPassword(core, signedInOf(request).user.id),
  }))
  route(app, 'POST /me/accounts/:provider', { body: noFields, answer: addressAnswer }, (request, reply) => {
    const { user, sessionId } = signedInOf(request)
    return begin(request, reply, { userId: user.id, sessionId })
  })
  route(app, 'DELETE /me/accounts/:account', {}, (request) =>
    unlinkAccount(core, actorOf(request), request.params.account),
  )
}
