// Sign-in at a real OpenID Connect issuer: new accounts, links of accounts, and the account that a sign-in opens.
import { hashSecret, newId } from '@phonerack/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { consoleClient, consoleUser, testPassword } from '../../../testing/console-client.js'
import { startOidcIssuer, type OidcIssuer } from '../../../testing/oidc-issuer.js'
import {
  askIssuer,
  begin,
  environmentOf,
  finish,
  linkAt,
  reasonOf,
  signInAt,
} from '../../../testing/provider-client.js'
import { signInByProvider } from '../../../people/users/provider-sign-in.js'
import { type Provider } from '../../../people/users/providers/types.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let issuer: OidcIssuer
let plane: Plane
let tenant: Tenant
let person: ReturnType<typeof newPerson>
beforeAll(async () => {
  issuer = await startOidcIssuer()
  plane = await world.start({
    env: { ...environmentOf(issuer), PHONERACK_SIGN_UP: 'open', PHONERACK_SIGN_UP_CREDIT: '2.000001' },
  })
  tenant = await plane.tenant()
})
afterAll(() => issuer.close())
// Tests share an address.
beforeEach(async () => {
  await plane.app.core.db.attempt.deleteMany()
  Object.assign(issuer, { claims: {}, metadata: {}, userinfo: {}, intercept: () => false })
  person = newPerson()
  issuer.person = person
})

const newPerson = () => {
  const sub = newId('user')
  return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ann Example' }
}
const viewer = () => consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
const emailOf = async (browser: ReturnType<typeof consoleClient>): Promise<unknown> =>
  ((await browser.ask('GET', '/session')).body['user'] as { email?: unknown } | null)?.email

describe('a new person', () => {
  it('gets an account with a first project and its credit, and is found by the subject afterwards', async () => {
    const browser = consoleClient(plane)
    const answer = await signInAt(browser)
    expect([answer.status, answer.body]).toEqual([200, { is_link: false, is_new: true }])
    const session = (await browser.ask('GET', '/session')).body
    expect(session['user']).toMatchObject({ email: person.email, name: 'Ann Example', is_operator: false })
    const [project] = session['projects'] as { id: string; name: string; role: string }[]
    expect(project).toMatchObject({ name: 'First project', role: 'owner' })
    const { db } = plane.app.core
    const found = await db.project.findUniqueOrThrow({ where: { id: project?.id ?? '' } })
    expect(found.balanceMicros).toBe(2_000_001n)
    const ledger = await db.ledgerEntry.findMany({ where: { projectId: found.id } })
    expect(ledger.map(({ kind, balanceDelta }) => [kind, balanceDelta])).toEqual([['credit', 2_000_001n]])
    const audit = await db.auditEntry.findMany({ where: { tokenName: person.email } })
    expect(audit.map(({ action }) => action).sort()).toEqual(['project.create', 'user.sign_up'])

    // The address has changed at the issuer, and is not verified: the subject counts.
    issuer.person = { ...person, email: 'changed@example.com', email_verified: false }
    const again = consoleClient(plane)
    expect((await signInAt(again)).body).toEqual({ is_link: false, is_new: false })
    expect(await emailOf(again)).toBe(`${person.sub}@example.com`)
    expect(await db.member.count({ where: { user: { email: `${person.sub}@example.com` } } })).toBe(1)
  })

  it('is refused under `domain` at a provider that verified the address once, such as GitHub', async () => {
    const { core } = plane.app
    const provider = { id: 'github', name: 'GitHub', key: 'github' } as Provider
    const signUp = { who: 'domain', domains: ['example.com'], creditMicros: 0n } as const
    const arrive = (who: 'domain' | 'open', isAuthority: boolean) => {
      const { sub: subject, email } = newPerson()
      const identity = { subject, email, isVerified: true, isAuthority, name: null }
      const from = { address: '192.0.2.1', requestId: 'req_aaaaaaaaaaaa' }
      return signInByProvider(core, { ...signUp, who, domains: [...signUp.domains] }, from, {
        provider,
        identity,
        invitation: null,
        replaces: false,
      })
    }
    await expect(arrive('domain', false)).rejects.toMatchObject({ details: { reason: 'needs_mail' } })
    expect(await arrive('domain', true)).toMatchObject({ isNew: true })
    expect(await arrive('open', false)).toMatchObject({ isNew: true })
  })

  it('keeps no token of the issuer', async () => {
    await signInAt(consoleClient(plane))
    const row = await plane.app.core.db.userAccount.findFirstOrThrow({ where: { accountId: person.sub } })
    expect([row.accessToken, row.idToken, row.refreshToken, row.providerId]).toEqual([
      ...[null, null, null, `oidc ${issuer.url}`],
    ])
  })

  it('is refused with an address that is not verified, or none', async () => {
    for (const claims of [
      { email_verified: false },
      { email_verified: undefined },
      { email_verified: 'true' },
      { email: 'not an address' },
      { email: undefined },
    ]) {
      issuer.claims = claims
      issuer.userinfo = { sub: person.sub }
      const browser = consoleClient(plane)
      const answer = await signInAt(browser)
      expect([claims, answer.status, reasonOf(answer)]).toEqual([claims, 400, 'not_verified'])
      expect(await emailOf(browser)).toBeUndefined()
    }
  })

  it('may have their address in the user info, of the same subject', async () => {
    issuer.claims = { email: undefined, email_verified: undefined }
    issuer.userinfo = { sub: 'another', email: person.email, email_verified: true }
    expect(reasonOf(await signInAt(consoleClient(plane)))).toBe('provider_failed')
    issuer.userinfo = { ...issuer.userinfo, sub: person.sub }
    const browser = consoleClient(plane)
    expect((await signInAt(browser)).status).toBe(200)
    expect(await emailOf(browser)).toBe(person.email)
  })
})

it('sends the secret in the form to an issuer that takes it only there', async () => {
  issuer.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
  const fresh = await world.start({ env: { ...environmentOf(issuer), PHONERACK_SIGN_UP: 'open' } })
  expect((await signInAt(consoleClient(fresh))).status).toBe(200)
})

describe('the account of an address', () => {
  it('is not given to a person whose issuer has verified the address', async () => {
    const { email } = await viewer()
    issuer.person = { ...person, email: email.toUpperCase() }
    const browser = consoleClient(plane)
    const answer = await signInAt(browser)
    expect([answer.status, reasonOf(answer)]).toEqual([400, 'not_linked'])
    expect(await emailOf(browser)).toBeUndefined()
  })

  it('is linked from its session, then signs in, and can be unlinked', async () => {
    const { client, email } = await viewer()
    // The account at the provider has another mail address.
    expect((await linkAt(client)).body).toEqual({ is_link: true, is_new: false })
    const browser = consoleClient(plane)
    expect((await signInAt(browser)).body).toEqual({ is_link: false, is_new: false })
    expect(await emailOf(browser)).toBe(email)
    const [account] = (await client.ask('GET', '/me/accounts')).body['data'] as { id: string }[]
    expect(account).toMatchObject({ name: 'Example ID', is_usable: true })
    expect((await client.ask('DELETE', `/me/accounts/${account?.id}`)).status).toBe(200)
    expect((await client.ask('DELETE', `/me/accounts/${account?.id}`)).status).toBe(404)
    const audit = await plane.app.core.db.auditEntry.findMany({ where: { tokenName: email } })
    const actions = audit.map(({ action }) => action).filter((action) => action.startsWith('account.'))
    expect(actions.sort()).toEqual(['account.link', 'account.unlink'])
    // No user has the account of the provider now, so the sign-in creates a user.
    expect((await signInAt(consoleClient(plane))).body).toEqual({ is_link: false, is_new: true })
  })

  it('is confirmed only with an account that it has', async () => {
    const { client, email } = await viewer()
    expect(reasonOf(await signInAt(client))).toBe('other_account')
    expect(await plane.app.core.db.user.count({ where: { email: person.email } })).toBe(0)
    expect(await emailOf(client)).toBe(email)
    expect((await linkAt(client)).status).toBe(200)
    const asked = new URL(await begin(client))
    expect(asked.searchParams.get('prompt')).toBe('login')
    const before = (await client.ask('GET', '/me/sessions')).body['data'] as { id: string }[]
    expect((await finish(client, await askIssuer(asked.href))).body).toEqual({
      is_link: false,
      is_new: false,
    })
    const after = (await client.ask('GET', '/me/sessions')).body['data'] as { id: string }[]
    expect([after.length, after[0]?.id === before[0]?.id]).toEqual([1, false])
  })

  it('is linked only in the session that began', async () => {
    const [first, second] = [await viewer(), await viewer()]
    const answer = await askIssuer(await begin(first.client, '/me/accounts/oidc'))
    expect(reasonOf(await finish(second.client, answer))).toBe('state')
    expect(reasonOf(await finish(consoleClient(plane), answer))).toBe('state')
    // The same browser, after another sign-in.
    const body = { email: second.email, password: testPassword }
    await first.client.ask('POST', '/auth/sign-in/email', { body })
    expect(reasonOf(await finish(first.client, answer))).toBe('state')
    const where = { accountId: person.sub }
    expect(await plane.app.core.db.userAccount.count({ where })).toBe(0)
  })

  it('is not linked with an address that is not verified, or to two users', async () => {
    const [first, second] = [await viewer(), await viewer()]
    issuer.claims = { email_verified: false }
    expect(reasonOf(await linkAt(first.client))).toBe('not_verified')
    issuer.claims = {}
    expect((await linkAt(first.client)).status).toBe(200)
    expect(reasonOf(await linkAt(second.client))).toBe('account_taken')
  })

  it('keeps its only way to sign in', async () => {
    const browser = consoleClient(plane)
    await signInAt(browser)
    const [account] = (await browser.ask('GET', '/me/accounts')).body['data'] as { id: string }[]
    expect((await browser.ask('DELETE', `/me/accounts/${account?.id}`)).status).toBe(400)
  })

  it('loses the accounts at providers with a new password by a link', async () => {
    const { client, email, userId } = await viewer()
    await linkAt(client)
    const made = await plane.operator.inject({
      method: 'POST',
      url: '/operator/v1/resets',
      payload: { email },
      headers: { authorization: `Bearer ${plane.operatorToken}` },
    })
    const token = new URL(made.json<{ url: string }>().url).hash.slice(1)
    const body = { token, password: 'another password' }
    expect((await consoleClient(plane).ask('POST', '/resets/accept', { body })).status).toBe(200)
    const where = { userId, providerId: { not: 'credential' } }
    expect(await plane.app.core.db.userAccount.count({ where })).toBe(0)
  })
})

describe('an invitation', () => {
  const invite = async (email: string): Promise<string> => {
    const { client } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const made = await client.ask('POST', `/projects/${tenant.projectId}/invitations`, {
      body: { email, role: 'viewer' },
    })
    return new URL(String(made.body['url'])).hash.slice(1)
  }

  it('is accepted by a new person with its address, who gets no other project', async () => {
    const invitation = await invite(person.email)
    const browser = consoleClient(plane)
    expect((await signInAt(browser, { invitation })).body).toEqual({ is_link: false, is_new: true })
    const projects = (await browser.ask('GET', '/session')).body['projects']
    expect(projects).toMatchObject([{ id: tenant.projectId, role: 'viewer' }])
    expect(projects).toHaveLength(1)
  })

  it('without mail leaves the address unproved, and its real owner takes the address for a new account', async () => {
    const { db } = plane.app.core
    const token = await invite(person.email)
    const squatter = consoleClient(plane)
    const user = { name: 'Eve', email: person.email, password: testPassword }
    expect((await squatter.ask('POST', '/invitations/accept', { body: { token, user } })).status).toBe(200)
    const first = await db.user.findUniqueOrThrow({ where: { email: person.email } })
    expect(first.emailVerified).toBe(false)
    const reset = await plane.operator.inject({
      method: 'POST',
      url: '/operator/v1/resets',
      payload: { email: person.email },
      headers: { authorization: `Bearer ${plane.operatorToken}` },
    })
    const browser = consoleClient(plane)
    const asked = await signInAt(browser)
    expect(asked.body['error']).toMatchObject({ details: { reason: 'not_linked', can_replace: true } })
    expect((await signInAt(browser, { replaces: true })).body).toEqual({ is_link: false, is_new: true })
    const second = await db.user.findUniqueOrThrow({ where: { email: person.email } })
    expect([second.id === first.id, second.emailVerified]).toEqual([false, true])
    const link = new URL(reset.json<{ url: string }>().url).hash.slice(1)
    expect(await db.invitation.count({ where: { tokenHash: hashSecret(link) } })).toBe(0)
    // The earlier account keeps its projects, and loses only the address.
    expect(await emailOf(squatter)).toBe(`${first.id}@replaced.invalid`)
    expect((await browser.ask('GET', '/session')).body['projects']).toMatchObject([{ name: 'First project' }])
    const audit = await db.auditEntry.findFirstOrThrow({
      where: { target: first.id, action: 'user.replace_address' },
    })
    expect(audit).toMatchObject({ tokenId: second.id, before: { email: person.email } })
  })

  it('a proved address, and that of an operator, is not taken', async () => {
    const { db } = plane.app.core
    const { email, userId } = await viewer()
    issuer.person = { ...person, email }
    for (const data of [{ emailVerified: true }, { emailVerified: false, isOperator: true }]) {
      await db.user.update({ where: { id: userId }, data })
      const answer = await signInAt(consoleClient(plane), { replaces: true })
      expect(answer.body['error']).toMatchObject({ details: { reason: 'not_linked', can_replace: false } })
    }
    expect((await db.user.findUniqueOrThrow({ where: { email } })).id).toBe(userId)
  })

  it('is not accepted with another address', async () => {
    const invitation = await invite('somebody@example.com')
    const browser = consoleClient(plane)
    expect(reasonOf(await signInAt(browser, { invitation }))).toBe('other_account')
    expect(await emailOf(browser)).toBeUndefined()
  })
})
