// The sign-in with GitHub against a server that answers as GitHub does.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { parseNetwork } from '../../../base/config/webhooks.js'
import { createResolve } from '../../../events/webhooks/resolve.js'
import { createGitHubProvider } from './github.js'
import { createOutbound } from './outbound.js'
import { ProviderFailed, type Provider } from './types.js'

let server: Server
let provider: Provider
let answers: Record<string, unknown>
let form: URLSearchParams
beforeAll(async () => {
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => {
      if (request.method === 'POST') form = new URLSearchParams(text)
      response.end(JSON.stringify(answers[request.url ?? ''] ?? {}))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const allowed = [parseNetwork('127.0.0.1')]
  provider = createGitHubProvider(
    {
      kind: 'github',
      id: 'github',
      name: 'GitHub',
      url,
      apiUrl: `${url}/api/v3`,
      clientId: 'id',
      clientSecret: 'secret',
    },
    createOutbound({ allowed, allowsHttp: true, resolve: createResolve(), own: () => [] }),
  )
})
afterAll(() => server.close())
beforeEach(() => {
  answers = {
    '/login/oauth/access_token': { access_token: 'token', token_type: 'bearer' },
    '/api/v3/user': { id: 7, login: 'ann', name: null },
    '/api/v3/user/emails?per_page=100': [
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'Ann@Example.com', primary: true, verified: true },
    ],
  }
})

const flow = { state: 's', verifier: 'v'.repeat(43), nonce: 'n', redirectUri: 'https://phones.example/back' }
const identify = () => provider.identify({ ...flow, code: 'c', issuer: null }, AbortSignal.timeout(60_000))

it('has a challenge of PKCE, whose verifier goes with the code', async () => {
  const url = await provider.authorizationUrl({ ...flow, isAgain: false }, AbortSignal.timeout(60_000))
  const challenge = createHash('sha256').update(flow.verifier).digest('base64url')
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: 'id',
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    redirect_uri: flow.redirectUri,
  })
  await identify()
  expect(Object.fromEntries(form)).toMatchObject({
    client_id: 'id',
    client_secret: 'secret',
    code: 'c',
    code_verifier: flow.verifier,
    redirect_uri: flow.redirectUri,
  })
})

it('names a person by the number of their account, and their primary address', async () => {
  expect(await identify()).toEqual({
    subject: '7',
    email: 'ann@example.com',
    isVerified: true,
    isAuthority: false,
    name: 'ann',
  })
})

it('does not take another verified address for the primary one', async () => {
  answers['/api/v3/user/emails?per_page=100'] = [
    { email: 'old@example.com', primary: false, verified: true },
    { email: 'ann@example.com', primary: true, verified: false },
  ]
  expect(await identify()).toMatchObject({ email: 'ann@example.com', isVerified: false })
  answers['/api/v3/user/emails?per_page=100'] = []
  expect(await identify()).toMatchObject({ email: null, isVerified: false })
})

it('fails for a refused code, and for an account without a number', async () => {
  answers['/api/v3/user'] = { login: 'ann' }
  await expect(identify()).rejects.toThrow(ProviderFailed)
  answers['/login/oauth/access_token'] = { error: 'bad_verification_code' }
  await expect(identify()).rejects.toThrow(ProviderFailed)
})
