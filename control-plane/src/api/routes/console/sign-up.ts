/** Accounts without an invitation: a link by mail verifies the address. docs/decisions/0290 */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { countAttempt, type AttemptLimit } from '../../../people/users/attempts.js'
import { emailSchema } from '../../../people/users/invitations.js'
import { checkSignUp, requestSignUp } from '../../../people/users/sign-up.js'
import { clientOf, type GateDeps } from './gate.js'
import { route } from './route.js'

const body = z.strictObject({ email: emailSchema })

/** Limits the requests of a client address, and the mails to one mail address. */
const perAddress: AttemptLimit = { max: 20, window: 60 }
const perAccount: AttemptLimit = { max: 3, window: 3600 }

export function addSignUp(app: FastifyInstance, { core, config, mailer, signUp }: GateDeps): void {
  const limit = async (subject: string, within: AttemptLimit): Promise<void> => {
    const seconds = await countAttempt(core.db, subject, within)
    if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
  }
  route(app, 'POST /sign-ups', { body }, async (request) => {
    const { email } = request.body
    checkSignUp(signUp, email)
    if (mailer === null)
      throw new ApiError('feature_unavailable', { message: 'This service sends no mail.', next: null })
    await limit(`sign-up ${clientOf(request)}`, perAddress)
    await limit(`sign-up ${email}`, perAccount)
    // The response does not wait for the mail, since its time would reveal whether there is an account.
    requestSignUp(core, mailer, config.origin, email).catch((error: unknown) => {
      request.log.error({ err: error }, 'could not send a link for a new account')
    })
    return { ok: true }
  })
}
