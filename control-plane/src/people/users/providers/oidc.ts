/** Sign-in at an OpenID Connect issuer: authorization code with PKCE, state and nonce. OpenID Connect Core 1.0. */
import { z } from 'zod'
import { googleIssuer, type ProviderConfig } from '../../../base/config/sign-in.js'
import { createDiscovery, type Metadata } from './discovery.js'
import { UnknownKey, verifyIdToken, type Claims } from './id-token.js'
import { type Outbound } from './outbound.js'
import { ProviderFailed, type Identity, type Provider } from './types.js'

type Config = ProviderConfig & { kind: 'oidc' }

const tokensSchema = z.looseObject({ access_token: z.string(), id_token: z.string().max(20_000) })
const profileSchema = z.looseObject({ sub: z.string() })

interface Parts {
  outbound: Outbound
  clock: { now(): Date }
}

/** RFC 6749, section 2.3.1: both parts are encoded as in a form. */
const formEncoded = (text: string): string => new URLSearchParams({ text }).toString().slice('text='.length)

export function createOidcProvider(config: Config, { outbound, clock }: Parts): Provider {
  const { issuer, clientId, clientSecret } = config
  const discovery = createDiscovery(issuer, outbound, () => performance.now())

  /**
   * Adds the client's authentication in a way that the issuer supports. Without a list, the issuer supports basic
   * authentication.
   */
  const withProof = (
    form: URLSearchParams,
    { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: Metadata,
  ): Record<string, string> => {
    if (clientSecret !== null && methods.includes('client_secret_basic')) {
      const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
    }
    form.set('client_id', clientId)
    if (clientSecret !== null) form.set('client_secret', clientSecret)
    return {}
  }

  const exchange = async (form: URLSearchParams, metadata: Metadata, signal: AbortSignal) => {
    const headers = withProof(form, metadata)
    const { status, body } = await outbound.ask(metadata.token_endpoint, signal, { form, headers })
    const parsed = status === 200 ? tokensSchema.safeParse(body) : null
    if (parsed?.success !== true)
      throw new ProviderFailed(`the token endpoint answered with status ${status}, or without an ID token`)
    return parsed.data
  }

  const claimsOf = async (token: string, nonce: string, signal: AbortSignal): Promise<Claims> => {
    const expected = { issuer, clientId, nonce, now: clock.now() }
    try {
      return await verifyIdToken(token, await discovery.keys(signal, false), expected)
    } catch (error) {
      if (!(error instanceof UnknownKey)) throw error
      return verifyIdToken(token, await discovery.keys(signal, true), expected)
    }
  }

  /** Reads the profile at issuers whose ID tokens have no address. */
  const profileOf = async (
    { sub }: Claims,
    { userinfo_endpoint: url }: Metadata,
    accessToken: string,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> => {
    if (url === undefined) return {}
    const headers = { authorization: `Bearer ${accessToken}` }
    const { status, body } = await outbound.ask(url, signal, { headers })
    const parsed = status === 200 ? profileSchema.safeParse(body) : null
    if (parsed?.success !== true)
      throw new ProviderFailed(`the user info has status ${status}, or no subject`)
    if (parsed.data.sub !== sub) throw new ProviderFailed('the user info is of another person')
    return parsed.data
  }

  return {
    id: config.id,
    name: config.name,
    key: config.id === 'google' ? 'google' : `oidc ${issuer}`,
    async authorizationUrl({ state, verifier, nonce, redirectUri, isAgain }, signal) {
      const { authorization_endpoint: authorizationEndpoint } = await discovery.metadata(signal)
      const { createAuthorizationURL } = await import('better-auth/oauth2')
      return createAuthorizationURL({
        id: config.id,
        options: { clientId },
        authorizationEndpoint,
        state,
        nonce,
        codeVerifier: verifier,
        redirectURI: redirectUri,
        scopes: ['openid', 'email', 'profile'],
        ...(isAgain ? { prompt: issuer === googleIssuer ? 'select_account' : 'login' } : {}),
      })
    },
    async identify({ code, issuer: from, verifier, nonce, redirectUri }, signal) {
      const metadata = await discovery.metadata(signal)
      // RFC 9207: the response of another issuer must not be used at this issuer.
      const isMissing = from === null && metadata.authorization_response_iss_parameter_supported === true
      if (isMissing || (from !== null && from !== issuer))
        throw new ProviderFailed('the answer is of another issuer')
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      })
      const tokens = await exchange(form, metadata, signal)
      const claims = await claimsOf(tokens.id_token, nonce, signal)
      const profile: Record<string, unknown> =
        typeof claims['email'] === 'string'
          ? claims
          : await profileOf(claims, metadata, tokens.access_token, signal)
      return identityOf(claims.sub, profile, issuer)
    },
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Google verifies an address of another domain once, and the address may belong to another person now. */
const isOfGoogle = (email: string, profile: Record<string, unknown>): boolean =>
  email.endsWith('@gmail.com') || textOf(profile['hd']) !== null

/** @param profile claims of the ID token or the user info */
export function identityOf(subject: string, profile: Record<string, unknown>, issuer: string): Identity {
  const email = textOf(profile['email'])?.toLowerCase() ?? null
  return {
    subject,
    email,
    name: textOf(profile['name']),
    isAuthority: true,
    isVerified:
      email !== null &&
      profile['email_verified'] === true &&
      (issuer !== googleIssuer || isOfGoogle(email, profile)),
  }
}
