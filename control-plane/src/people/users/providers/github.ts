/** Sign-in with GitHub, which has OAuth with PKCE but no ID tokens for people. */
import { z } from 'zod'
import { type ProviderConfig } from '../../../base/config/sign-in.js'
import { type Outbound } from './outbound.js'
import { ProviderFailed, type Provider } from './types.js'

type Config = ProviderConfig & { kind: 'github' }

const tokenSchema = z.looseObject({ access_token: z.string() })
const userSchema = z.looseObject({ id: z.int(), name: z.string().nullable().optional(), login: z.string() })
const emailsSchema = z.array(
  z.looseObject({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
)

export function createGitHubProvider(config: Config, outbound: Outbound): Provider {
  const { url, apiUrl, clientId, clientSecret } = config
  const read = async <S extends z.ZodType>(
    path: string,
    schema: S,
    token: string,
    signal: AbortSignal,
  ): Promise<z.output<S>> => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' }
    const { status, body } = await outbound.ask(`${apiUrl}${path}`, signal, { headers })
    const parsed = status === 200 ? schema.safeParse(body) : null
    if (parsed?.success === true) return parsed.data
    throw new ProviderFailed(`${path} of GitHub answered with status ${status}, or without the fields`)
  }
  return {
    id: config.id,
    name: config.name,
    key: url === 'https://github.com' ? 'github' : `github ${url}`,
    async authorizationUrl({ state, verifier, redirectUri, isAgain }) {
      const { createAuthorizationURL } = await import('better-auth/oauth2')
      return createAuthorizationURL({
        id: config.id,
        options: { clientId },
        authorizationEndpoint: `${url}/login/oauth/authorize`,
        state,
        codeVerifier: verifier,
        redirectURI: redirectUri,
        scopes: ['read:user', 'user:email'],
        ...(isAgain ? { prompt: 'select_account' } : {}),
      })
    },
    async identify({ code, verifier, redirectUri }, signal) {
      const form = new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret ?? '',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      })
      // GitHub also answers refusals with the status 200.
      const answer = await outbound.ask(`${url}/login/oauth/access_token`, signal, { form })
      const token = tokenSchema.safeParse(answer.body)
      if (answer.status !== 200 || !token.success)
        throw new ProviderFailed(`GitHub refused the code with status ${answer.status}`)
      const { access_token: accessToken } = token.data
      const user = await read('/user', userSchema, accessToken, signal)
      const emails = await read('/user/emails?per_page=100', emailsSchema, accessToken, signal)
      const primary = emails.find((each) => each.primary)
      return {
        subject: String(user.id),
        email: primary?.email.toLowerCase() ?? null,
        isVerified: primary?.verified === true,
        isAuthority: false,
        name: user.name ?? user.login,
      }
    },
  }
}
