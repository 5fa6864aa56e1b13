/**
 * The state of a sign-in at an identity provider: stored in Postgres, and bound to the browser by a signed cookie. Only
 * the server uses these endpoints.
 */
import { createAuthEndpoint } from '@better-auth/core/api'
import { generateGenericState, parseGenericState } from 'better-auth'
import { generateRandomString } from 'better-auth/crypto'
import { z } from 'zod'
import { stateLife } from './auth-settings.js'

const purposeSchema = z.object({
  /** The key of the provider. */
  provider: z.string(),
  /** The session to which the account is added; null for a sign-in. */
  link: z.object({ userId: z.string(), sessionId: z.string() }).nullable(),
  /** The user who confirms their identity; null if no user was signed in, or an account is added. */
  confirm: z.string().nullable(),
})

export type Purpose = z.infer<typeof purposeSchema>

export const providerState = {
  id: 'provider-state',
  endpoints: {
    beginProvider: createAuthEndpoint(
      '/begin-provider',
      { method: 'POST', body: purposeSchema, metadata: { SERVER_ONLY: true } },
      async (context) => {
        const nonce = generateRandomString(43)
        const { state, codeVerifier } = await generateGenericState(context, {
          // better-auth requires this value, but the page opens its own path.
          callbackURL: '/console',
          codeVerifier: generateRandomString(64),
          expiresAt: Date.now() + stateLife * 1000,
          idTokenNonce: nonce,
          purpose: context.body,
        })
        return context.json({ state, verifier: codeVerifier, nonce })
      },
    ),
    /**
     * Reads and deletes the state. @throws BetterAuthError if it is unknown, has expired, or belongs to another browser
     */
    endProvider: createAuthEndpoint(
      '/end-provider',
      { method: 'POST', body: z.object({ state: z.string() }), metadata: { SERVER_ONLY: true } },
      async (context) => {
        const kept = await parseGenericState(context, context.body.state)
        return context.json({
          verifier: kept.codeVerifier,
          nonce: kept.idTokenNonce ?? '',
          purpose: purposeSchema.parse(kept['purpose']),
        })
      },
    ),
  },
} as const
