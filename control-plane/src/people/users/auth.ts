/** Passwords, passkeys and sessions: better-auth on our tables. Only `load-auth.ts` imports it. docs/decisions/0286 */
import { passkey } from '@better-auth/passkey'
import { createAuthEndpoint } from '@better-auth/core/api'
import { newId, type IdKind } from '@phonerack/shared'
import { betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import { type ConsoleConfig } from '../../base/config/console.js'
import { type Core } from '../../base/core/core.js'
import { countAttempt } from './attempts.js'
import { addressHeader, authPath, password, recentSignIn } from './auth-settings.js'
import { providerState } from './provider-state.js'

const day = 86_400

/** `life`: seconds that a session lives without use. `prolongAfter`: seconds after which a use extends it. */
const session = { life: 7 * day, prolongAfter: day }

const idKinds: Readonly<Record<string, IdKind>> = {
  user: 'user',
  session: 'userSession',
  account: 'userAccount',
  verification: 'verification',
  passkey: 'passkey',
}

/** better-auth asks for the PIN, fingerprint or face, but does not check that the device asked. @throws APIError */
function needVerifiedPerson(isVerified: boolean): void {
  if (!isVerified) throw new APIError('BAD_REQUEST', { message: 'The passkey did not check who used it.' })
}

/** Signs in a user who has proved their identity without a password. Only the server may call this endpoint. */
const beginSession = {
  id: 'begin-session',
  endpoints: {
    beginSession: createAuthEndpoint(
      '/begin-session',
      { method: 'POST', body: z.object({ userId: z.string() }), metadata: { SERVER_ONLY: true } },
      async (context) => {
        const { internalAdapter } = context.context
        const user = await internalAdapter.findUserById(context.body.userId)
        if (!user) throw new Error('the user of a new session does not exist')
        const created = await internalAdapter.createSession(user.id)
        await setSessionCookie(context, { session: created, user })
        return context.json({ id: created.id })
      },
    ),
  },
} as const

export type Auth = ReturnType<typeof createAuth>

/** @param secret the secret that signs cookies */
export function createAuth({ db, log }: Pick<Core, 'db' | 'log'>, config: ConsoleConfig, secret: Buffer) {
  return betterAuth({
    appName: 'Phonerack',
    baseURL: config.origin,
    basePath: authPath,
    trustedOrigins: config.origins,
    secret: secret.toString('base64url'),
    database: prismaAdapter(db, { provider: 'postgresql', transaction: true }),
    emailAndPassword: {
      enabled: true,
      // `new-user.ts` creates users together with their rights, in one transaction.
      disableSignUp: true,
      minPasswordLength: password.min,
      maxPasswordLength: password.max,
    },
    user: {
      additionalFields: {
        isOperator: { type: 'boolean', input: false, required: true, defaultValue: false },
      },
    },
    session: {
      modelName: 'userSession',
      expiresIn: session.life,
      updateAge: session.prolongAfter,
      freshAge: recentSignIn,
    },
    account: { modelName: 'userAccount' },
    verification: { modelName: 'userVerification' },
    rateLimit: {
      enabled: true,
      // Replicas share this storage.
      customStorage: {
        async consume(key, rule) {
          const retryAfter = await countAttempt(db, `auth ${key}`, rule)
          return { allowed: retryAfter === null, retryAfter }
        },
      },
      window: 60,
      max: 100,
      customRules: {
        // `routes/console/sign-in.ts` limits these requests before they count for the account.
        '/sign-in/email': false,
        '/passkey/verify-authentication': { window: 60, max: 20 },
      },
    },
    advanced: {
      cookiePrefix: config.cookiePrefix,
      useSecureCookies: config.isSecure,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: ({ model }) => newId(idKinds[model] ?? 'verification') },
    },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (level, message) => log[level === 'error' ? 'error' : 'warn']({ part: 'better-auth' }, message),
    },
    plugins: [
      beginSession,
      providerState,
      passkey({
        rpName: 'Phonerack',
        rpID: config.passkeys?.rpId ?? 'invalid',
        origin: config.passkeys?.origins ?? [],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: ({ verification }) =>
            needVerifiedPerson(verification.registrationInfo?.userVerified === true),
        },
        authentication: {
          afterVerification: ({ verification }) =>
            needVerifiedPerson(verification.authenticationInfo.userVerified),
        },
      }),
    ],
  })
}
