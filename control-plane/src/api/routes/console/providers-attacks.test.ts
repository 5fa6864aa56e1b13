// Attacks on the sign-in at identity providers: forged and repeated answers, hostile issuers, and addresses inside.
import { newId } from '@phonerack/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { consoleClient } from '../../../testing/console-client.js'
import { startOidcIssuer, type OidcIssuer } from '../../../testing/oidc-issuer.js'
import {
  askIssuer,
  begin,
  environmentOf,
  finish,
  reasonOf,
  signInAt,
} from '../../../testing/provider-client.js'
import { useWorld, type Plane } from '../../../testing/world.js'

const world = useWorld()
let issuer: OidcIssuer
let plane: Plane
beforeAll(async () => {
  issuer = await startOidcIssuer()
  plane = await world.start({ env: { ...environmentOf(issuer), PHONERACK_SIGN_UP: 'open' } })
})
afterAll(() => issuer.close())
beforeEach(async () => {
  await plane.app.core.db.attempt.deleteMany()
  Object.assign(issuer, { claims: {}, metadata: {}, userinfo: {}, intercept: () => false })
  const sub = newId('user')
  issuer.person = { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ann' }
})

const users = (): Promise<number> => plane.app.core.db.user.count()
/** Another replica, which has read nothing from the issuer yet. */
const withEnv = (env: Record<string, string>): Promise<Plane> =>
  world.start({ env: { ...environmentOf(issuer), PHONERACK_SIGN_UP: 'open', ...env } })

describe('an answer', () => {
  it('has a challenge of PKCE, a nonce and a state in its request, and goes to one address', async () => {
    const url = new URL(await begin(consoleClient(plane)))
    const query = Object.fromEntries(url.searchParams)
    expect(query).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile',
      redirect_uri: `${plane.config.console.origin}/console/callback/oidc`,
    })
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect([name, (query[name] ?? '').length >= 32]).toEqual([name, true])
    const other = new URL(await begin(consoleClient(plane))).searchParams
    for (const name of ['state', 'nonce', 'code_challenge']) expect(other.get(name)).not.toBe(query[name])
  })

  it('is refused in another browser, with another state, with a wrong code, and a second time', async () => {
    const browser = consoleClient(plane)
    const answer = await askIssuer(await begin(browser))
    expect(reasonOf(await finish(consoleClient(plane), answer))).toBe('state')
    // A sign-in that somebody else began, so that the person uses their account.
    const attacker = await askIssuer(await begin(consoleClient(plane)))
    expect(reasonOf(await finish(browser, attacker))).toBe('state')
    expect(reasonOf(await finish(browser, { ...answer, state: 'x'.repeat(32) }))).toBe('state')
    expect((await finish(browser, answer)).status).toBe(200)
    expect(reasonOf(await finish(browser, answer))).toBe('state')
    const wrong = await askIssuer(await begin(browser))
    expect(reasonOf(await finish(browser, { ...wrong, code: 'guessed' }))).toBe('provider_failed')
  })

  it('is refused when its time is over', async () => {
    const browser = consoleClient(plane)
    const answer = await askIssuer(await begin(browser))
    const { db } = plane.app.core
    const where = { identifier: { endsWith: answer['state'] ?? '' } }
    const row = await db.userVerification.findFirstOrThrow({ where })
    const value = JSON.stringify({ ...(JSON.parse(row.value) as object), expiresAt: Date.now() - 1 })
    await db.userVerification.update({ where: { id: row.id }, data: { value } })
    expect(reasonOf(await finish(browser, answer))).toBe('state')
  })

  it('with a code that another browser got does not fit the verifier', async () => {
    const [browser, other] = [consoleClient(plane), consoleClient(plane)]
    const [answer, stolen] = [await askIssuer(await begin(browser)), await askIssuer(await begin(other))]
    const mixed = await finish(browser, { ...answer, code: stolen['code'] })
    expect(reasonOf(mixed)).toBe('provider_failed')
  })

  it('is refused when it names another issuer, or leaves out the issuer that it should name', async () => {
    for (const iss of ['https://other.example', undefined]) {
      const browser = consoleClient(plane)
      const answer = await askIssuer(await begin(browser))
      expect([iss, reasonOf(await finish(browser, { ...answer, iss }))]).toEqual([iss, 'provider_failed'])
    }
  })

  it('needs the token against forgery, and a page of the console', async () => {
    const browser = consoleClient(plane)
    const body = await askIssuer(await begin(browser))
    const path = '/auth/providers/oidc/callback'
    for (const headers of [{ 'x-csrf-token': undefined }, { origin: 'https://evil.example' }])
      expect((await browser.ask('POST', path, { body, headers })).status).toBe(403)
    expect((await browser.ask('GET', path)).status).toBe(404)
  })
})

it.each([
  ['another issuer', { iss: 'https://other.example' }],
  ['another audience', { aud: 'other' }],
  ['a second audience', { aud: ['phonerack test', 'other'] }],
  ['another nonce', { nonce: 'x'.repeat(43) }],
  ['no nonce', { nonce: undefined }],
  ['an end in the past', { exp: 1_700_000_000 }],
])('an ID token with %s signs nobody in, and creates no user', async (_name, claims) => {
  issuer.claims = claims
  const before = await users()
  const browser = consoleClient(plane)
  const answer = await signInAt(browser)
  expect([answer.status, reasonOf(answer)]).toEqual([400, 'provider_failed'])
  expect((await browser.ask('GET', '/session')).body['user']).toBeNull()
  expect(await users()).toBe(before)
})

describe('an issuer', () => {
  // This replica caches nothing of an issuer that it refuses. The last test lets it read the metadata.
  let fresh: Plane
  beforeAll(async () => {
    fresh = await withEnv({})
  })
  const refused = async (on: Plane): Promise<void> => {
    const answer = await consoleClient(on).ask('POST', '/auth/providers/oidc', { body: {} })
    expect([answer.status, reasonOf(answer)]).toEqual([400, 'provider_failed'])
  }

  it('is refused when it redirects, sends no JSON, or sends too much', async () => {
    issuer.intercept = (_request, response) => {
      response.writeHead(302, { location: `${issuer.url}/elsewhere` }).end()
      return true
    }
    await refused(fresh)
    expect(issuer.requests).not.toContain('/elsewhere')
    issuer.intercept = (_request, response) => {
      response.end('<html>')
      return true
    }
    await refused(fresh)
    issuer.intercept = (_request, response) => {
      response.end(`"${'x'.repeat(1_000_000)}"`)
      return true
    }
    await refused(fresh)
  })

  it('is not asked at a token endpoint with an address inside', async () => {
    const strict = await withEnv({ PHONERACK_OIDC_ALLOW: '127.0.0.1' })
    issuer.metadata = { token_endpoint: issuer.url.replace('127.0.0.1', '127.0.0.2') }
    const answer = await signInAt(consoleClient(strict))
    expect(reasonOf(answer)).toBe('provider_failed')
  })

  it('gets no request at an address that is not allowed', async () => {
    const strict = await withEnv({ PHONERACK_OIDC_ALLOW: '' })
    const before = issuer.requests.length
    await refused(strict)
    expect(issuer.requests.length).toBe(before)
  })

  it('is refused after 10 seconds without an answer', async () => {
    issuer.intercept = () => true
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    const limits = vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation((ms) => timeout(ms === 10_000 ? 300 : ms))
    try {
      await refused(fresh)
      expect(limits).toHaveBeenCalledWith(10_000)
    } finally {
      limits.mockRestore()
    }
  })

  it('is refused when its metadata name another one, or lead the browser elsewhere', async () => {
    for (const metadata of [
      { issuer: 'https://other.example' },
      { issuer: `${issuer.url}/` },
      { authorization_endpoint: 'javascript:alert(1)' },
      { authorization_endpoint: 'https://10.0.0.1/authorize' },
      { token_endpoint: undefined },
    ]) {
      issuer.metadata = metadata
      await refused(fresh)
    }
    issuer.metadata = {}
    expect(await begin(consoleClient(fresh))).toContain(`${issuer.url}/authorize`)
  })
})

it('limits the sign-ins that an address begins', async () => {
  const statuses: number[] = []
  const browser = consoleClient(plane)
  for (let count = 0; count < 41; count += 1)
    statuses.push((await browser.ask('POST', '/auth/providers/oidc', { body: {} })).status)
  expect([statuses.slice(0, 40).every((status) => status === 200), statuses.at(-1)]).toEqual([true, 429])
})
