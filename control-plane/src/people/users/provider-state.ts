/** The state of a sign-in at an identity provider, for the server only: in Postgres, bound to the browser by a signed cookie. */
import { createAuthEndpoint } from '@better-auth/core/api'
import { generateGenericState, parseGenericState } from 'better-auth'
import { generateRandomString } from 'better-auth/crypto'
import { z } from 'zod'
import { stateLife } from './auth-settings.js'

const purposeSchema = z.object({
  /** The key of the provider. */
  provider: z.string(),
  /** The session that adds a way to sign in; null: it is a sign-in. */
  link: z.object({ userId: z.string(), sessionId: z.string() }).nullable(),
  /** The user who confirms that it is them; null: nobody was signed in, or it is a link. */
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
          // Not used: the page opens its own path.
          callbackURL: '/console',
          codeVerifier: generateRandomString(64),
          expiresAt: Date.now() + stateLife * 1000,
          idTokenNonce: nonce,
          purpose: context.body,
        })
        return context.json({ state, verifier: codeVerifier, nonce })
      },
    ),
    /** Takes the state. @throws BetterAuthError for one that is unknown, has expired, or is of another browser */
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
