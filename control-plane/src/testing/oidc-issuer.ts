/** A real OpenID Connect issuer for tests: discovery, authorization code with PKCE, signed ID tokens, and hostile answers. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

interface Person {
  sub: string
  email?: string | undefined
  email_verified?: boolean | undefined
  name?: string | undefined
}

interface Asked {
  redirectUri: string
  challenge: string
  nonce: string
  person: Person
}

export interface OidcIssuer {
  url: string
  /** Signs a user in without a page. */
  person: Person
  /** Overrides claims of the next ID tokens; undefined omits a claim. */
  claims: Record<string, unknown>
  /** Overrides fields of the metadata. */
  metadata: Record<string, unknown>
  /** Replaces the answer to a request. False: the usual answer follows. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  /** The answer of `/userinfo`. */
  userinfo: Record<string, unknown>
  /** Paths of the requests, in order. */
  requests: string[]
  /** Signs with a new key, which `/jwks` then contains. */
  rotate(): Promise<void>
  close(): Promise<void>
}

export const client = { id: 'phonerack test', secret: 'a secret: with/ signs+' }

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) text += String(part)
  return text
}

export async function startOidcIssuer(): Promise<OidcIssuer> {
  const codes = new Map<string, Asked>()
  const newKey = async () => ({ kid: randomBytes(8).toString('hex'), ...(await generateKeyPair('ES256')) })
  let key = await newKey()

  const answer = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const expectedProof = `Basic ${Buffer.from(
    [client.id, client.secret].map((text) => encodeURIComponent(text).replaceAll('%20', '+')).join(':'),
  ).toString('base64')}`

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await bodyOf(request))
    const code = form.get('code') ?? ''
    const asked = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const takesForm = 'token_endpoint_auth_methods_supported' in self.metadata
    const isProved = takesForm
      ? form.get('client_id') === client.id && form.get('client_secret') === client.secret
      : request.headers.authorization === expectedProof
    if (!isProved || asked?.challenge !== challenge || asked.redirectUri !== form.get('redirect_uri'))
      return answer(response, 400, { error: 'invalid_grant' })
    const now = Math.floor(Date.now() / 1000)
    const claims: Record<string, unknown> = {
      iss: self.url,
      aud: client.id,
      iat: now,
      exp: now + 300,
      nonce: asked.nonce,
      ...asked.person,
      ...self.claims,
    }
    const sent = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
    const idToken = await new SignJWT(sent)
      .setProtectedHeader({ alg: 'ES256', kid: key.kid })
      .sign(key.privateKey)
    answer(response, 200, { access_token: 'opaque', token_type: 'Bearer', id_token: idToken })
  }

  function authorize(url: URL, response: ServerResponse): void {
    const query = url.searchParams
    const redirect = new URL(query.get('redirect_uri') ?? '')
    if (query.get('client_id') !== client.id || query.get('code_challenge_method') !== 'S256')
      return answer(response, 400, { error: 'invalid_request' })
    const code = randomBytes(16).toString('hex')
    codes.set(code, {
      redirectUri: redirect.href,
      challenge: query.get('code_challenge') ?? '',
      nonce: query.get('nonce') ?? '',
      person: self.person,
    })
    redirect.searchParams.set('code', code)
    redirect.searchParams.set('state', query.get('state') ?? '')
    redirect.searchParams.set('iss', self.url)
    response.writeHead(302, { location: redirect.href }).end()
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', self.url)
    self.requests.push(url.pathname)
    if (self.intercept(request, response)) return
    if (url.pathname === '/.well-known/openid-configuration')
      return answer(response, 200, {
        issuer: self.url,
        authorization_endpoint: `${self.url}/authorize`,
        token_endpoint: `${self.url}/token`,
        jwks_uri: `${self.url}/jwks`,
        userinfo_endpoint: `${self.url}/userinfo`,
        authorization_response_iss_parameter_supported: true,
        ...self.metadata,
      })
    if (url.pathname === '/jwks') {
      const jwk = { ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'ES256', use: 'sig' }
      return answer(response, 200, { keys: [jwk] })
    }
    if (url.pathname === '/authorize') return authorize(url, response)
    if (url.pathname === '/token') return token(request, response)
    if (url.pathname === '/userinfo') return answer(response, 200, self.userinfo)
    answer(response, 404, {})
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const self: OidcIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    person: { sub: '1' },
    claims: {},
    metadata: {},
    userinfo: {},
    requests: [],
    intercept: () => false,
    async rotate() {
      key = await newKey()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return self
}
