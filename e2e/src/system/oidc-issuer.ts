/** An OpenID Connect issuer with a page, for the console in a browser. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export interface Person {
  sub: string
  email: string
  email_verified: boolean
  name: string
}

export interface OidcIssuer {
  url: string
  /** The settings of the control plane. */
  env: Record<string, string>
  /** The person that the page offers to sign in. */
  person: Person
  close(): Promise<void>
}

const client = { id: 'console', secret: 'secret' }

/** The settings of a control plane for an issuer at this address. */
export const issuerEnv = (url: string): Record<string, string> => ({
  PHONERACK_OIDC_ISSUER: url,
  PHONERACK_OIDC_CLIENT_ID: client.id,
  PHONERACK_OIDC_CLIENT_SECRET: client.secret,
  PHONERACK_OIDC_NAME: 'Example ID',
  PHONERACK_OIDC_ALLOW: '127.0.0.0/8',
})

/** @param port 0 for a free port */
export async function startOidcIssuer(person: Person, port = 0): Promise<OidcIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const codes = new Map<string, { challenge: string; nonce: string; person: Person }>()

  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = ''
    for await (const part of request) text += String(part)
    const form = new URLSearchParams(text)
    const asked = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const proof = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`
    if (asked?.challenge !== challenge || request.headers.authorization !== proof)
      return json(response, 400, { error: 'invalid_grant' })
    const idToken = await new SignJWT({ ...asked.person, nonce: asked.nonce })
      .setProtectedHeader({ alg: 'RS256', kid: '1' })
      .setIssuer(self.url)
      .setAudience(client.id)
      .setIssuedAt()
      .setExpirationTime('5 minutes')
      .sign(privateKey)
    json(response, 200, { access_token: 'opaque', token_type: 'Bearer', id_token: idToken })
  }

  /** Shows a page with two links: to continue, and to decline. */
  const authorize = ({ searchParams: query }: URL, response: ServerResponse): void => {
    const code = randomBytes(16).toString('hex')
    const { person: offered } = self
    codes.set(code, {
      challenge: query.get('code_challenge') ?? '',
      nonce: query.get('nonce') ?? '',
      person: offered,
    })
    const back = (answer: Record<string, string>): string => {
      const url = new URL(query.get('redirect_uri') ?? '')
      const all = { ...answer, state: query.get('state') ?? '', iss: self.url }
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
      return url.href.replaceAll('&', '&amp;')
    }
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><title>Example ID</title><link rel="icon" href="data:,"><h1>Example ID</h1>
<p><a href="${back({ code })}">Continue as ${offered.name}</a>
<p><a href="${back({ error: 'access_denied' })}">Decline</a>`)
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', self.url)
    if (url.pathname === '/.well-known/openid-configuration')
      return json(response, 200, {
        issuer: self.url,
        authorization_endpoint: `${self.url}/authorize`,
        token_endpoint: `${self.url}/token`,
        jwks_uri: `${self.url}/jwks`,
      })
    if (url.pathname === '/jwks')
      return json(response, 200, { keys: [{ ...(await exportJWK(publicKey)), kid: '1', use: 'sig' }] })
    if (url.pathname === '/authorize') return authorize(url, response)
    if (url.pathname === '/token') return token(request, response)
    json(response, 404, {})
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const self: OidcIssuer = {
    url,
    person,
    env: issuerEnv(url),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return self
}
