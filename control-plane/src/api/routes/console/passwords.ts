/** New passwords: changed by the user, or set with a link after the user has lost the password. */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { addressOf } from '../../../base/failure-limit/network.js'
import { countAttempt, type AttemptLimit } from '../../../people/users/attempts.js'
import { password } from '../../../people/users/auth-settings.js'
import { emailSchema } from '../../../people/users/invitations.js'
import { acceptReset, changePassword, requestReset } from '../../../people/users/passwords.js'
import { beginSession } from './begin-session.js'
import { actorOf, clientOf, signedInOf, type GateDeps } from './gate.js'
import { route } from './route.js'

export const passwordSchema = z.string().min(password.min).max(password.max)

const changeBody = z.strictObject({ password: passwordSchema })
const requestBody = z.strictObject({ email: emailSchema })
const acceptBody = z.strictObject({ token: z.string().max(100), password: passwordSchema })

/** Limits requests for links and attempts to use a link. */
const perAddress: AttemptLimit = { max: 20, window: 60 }
/** Limits the mails to an account. */
const perAccount: AttemptLimit = { max: 3, window: 3600 }

export function addPasswords(app: FastifyInstance, deps: GateDeps): void {
  const { core, config, mailer } = deps
  const limit = async (subject: string, within: AttemptLimit): Promise<void> => {
    const seconds = await countAttempt(core.db, subject, within)
    if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
  }

  route(app, 'POST /me/password', { body: changeBody }, async (request) => {
    const { password: chosen } = request.body
    await changePassword(core, actorOf(request), signedInOf(request).sessionId, chosen)
    return { ok: true }
  })

  route(app, 'POST /resets', { body: requestBody }, async (request) => {
    const { email } = request.body
    if (mailer === null)
      throw new ApiError('feature_unavailable', {
        message: 'This service sends no mail.',
        next: 'Ask the operator of this service for a link.',
      })
    await limit(`reset ${clientOf(request)}`, perAddress)
    await limit(`reset ${email}`, perAccount)
    const from = { address: addressOf(request), requestId: request.id }
    // The response does not wait for the mail, since its time would reveal whether there is an account.
    requestReset(core, mailer, config.linkOrigin, email, from).catch((error: unknown) => {
      request.log.error({ err: error }, 'could not send a link for a new password')
    })
    return { ok: true }
  })

  route(
    app,
    'POST /resets/accept',
    { body: acceptBody, preHandler: (request) => limit(`reset ${clientOf(request)}`, perAddress) },
    async (request, reply) => {
      const { token, password: chosen } = request.body
      const from = { address: addressOf(request), requestId: request.id }
      await beginSession(request, reply, deps, await acceptReset(core, from, token, chosen))
      return { ok: true }
    },
  )
}
