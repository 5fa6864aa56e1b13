// Accounts without an invitation: by a link that proves the address, or at an identity provider. Real mail.
import { startMailServer, type MailServer, type ReceivedMail } from '@phonerack/shared/testing/mail-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { consoleClient, consoleUser, testPassword } from '../../../testing/console-client.js'
import { startOidcIssuer, type OidcIssuer } from '../../../testing/oidc-issuer.js'
import { environmentOf, reasonOf, signInAt } from '../../../testing/provider-client.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let smtp: MailServer
let issuer: OidcIssuer
let plane: Plane
let tenant: Tenant
const domain = { PHONERACK_SIGN_UP: 'domain', PHONERACK_SIGN_UP_DOMAINS: 'example.com, example.org' }
beforeAll(async () => {
  smtp = await startMailServer()
  issuer = await startOidcIssuer()
  plane = await world.start({
    env: {
      ...environmentOf(issuer),
      ...domain,
      PHONERACK_SMTP_URL: smtp.url,
      PHONERACK_SIGN_UP_CREDIT: '0.000001',
    },
  })
  tenant = await plane.tenant()
})
afterAll(async () => {
  await smtp.close()
  await issuer.close()
})
beforeEach(async () => {
  await plane.app.core.db.attempt.deleteMany()
})

const request = (email: string, at = plane) => consoleClient(at).ask('POST', '/sign-ups', { body: { email } })
const mailsTo = (address: string): ReceivedMail[] => smtp.mails.filter(({ to }) => to.includes(address))
const mailTo = async (address: string, count = 1): Promise<string> => {
  await eventually(() => mailsTo(address).length >= count)
  return mailsTo(address).at(-1)?.text ?? ''
}
const tokenIn = (text: string): string => /#(pri_[\w-]{43})/.exec(text)?.[1] ?? ''
const accept = (token: string, email: string, at = plane, browser = consoleClient(at)) =>
  browser.ask('POST', '/invitations/accept', {
    body: { token, user: { name: 'Nora', email, password: testPassword } },
  })

it('creates an account with a first project after the address was proved', async () => {
  const email = 'nora@example.com'
  expect((await request('Nora@Example.com')).body).toEqual({ ok: true })
  const token = tokenIn(await mailTo(email))
  const { db } = plane.app.core
  // Before the link is accepted, there is no account.
  expect(await db.user.count({ where: { email } })).toBe(0)
  const looked = await consoleClient(plane).ask('POST', '/invitations/look', { body: { token } })
  expect(looked.body).toEqual({ role: 'sign_up', email, project: null })
  const browser = consoleClient(plane)
  // The address of the mail counts, and the address that the page sends is ignored.
  expect((await accept(token, 'victim@example.com', plane, browser)).status).toBe(200)
  const session = (await browser.ask('GET', '/session')).body
  expect(session['user']).toMatchObject({ email, is_operator: false })
  expect(session['projects']).toMatchObject([{ name: 'First project', role: 'owner' }])
  const user = await db.user.findUniqueOrThrow({ where: { email }, include: { members: true } })
  expect(user.emailVerified).toBe(true)
  const projectId = user.members[0]?.projectId ?? ''
  expect((await db.project.findUniqueOrThrow({ where: { id: projectId } })).balanceMicros).toBe(1n)
  const audit = await db.auditEntry.findMany({ where: { tokenId: user.id } })
  expect(audit.map(({ action }) => action).sort()).toEqual(['project.create', 'user.sign_up'])
  expect((await accept(token, email)).status).toBe(404)
})

it('gives an address its credit once, in either case, even after its account was deleted', async () => {
  const { db } = plane.app.core
  const balances = async (email: string): Promise<bigint[]> => {
    const where = { members: { some: { user: { email: email.toLowerCase() } } } }
    return (await db.project.findMany({ where })).map(({ balanceMicros }) => balanceMicros)
  }
  const signUp = async (email: string, count: number): Promise<void> => {
    await request(email)
    const token = tokenIn(await mailTo(email.toLowerCase(), count))
    expect((await accept(token, email)).status).toBe(200)
  }
  await signUp('twice@example.com', 1)
  expect(await balances('twice@example.com')).toEqual([1n])
  const { id } = await db.user.findUniqueOrThrow({ where: { email: 'twice@example.com' } })
  const deleted = await plane.operator.inject({
    method: 'DELETE',
    url: `/operator/v1/users/${id}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })
  expect(deleted.statusCode).toBe(200)
  await signUp('Twice@Example.com', 2)
  expect(await balances('twice@example.com')).toEqual([0n])
  // A sign-up at an identity provider gets no second credit either.
  const again = await db.user.findUniqueOrThrow({ where: { email: 'twice@example.com' } })
  await db.user.delete({ where: { id: again.id } })
  issuer.person = { sub: 'twice', email: 'TWICE@example.com', email_verified: true }
  expect((await signInAt(consoleClient(plane))).body).toMatchObject({ is_new: true })
  expect(await balances('twice@example.com')).toEqual([0n])
  // An alias is another address.
  await signUp('twice+1@example.com', 1)
  expect(await balances('twice+1@example.com')).toEqual([1n])
})

it('answers the same for an address that has an account, which gets another mail', async () => {
  const { email, client } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const [known, unknown] = [await request(email), await request('unknown@example.org')]
  expect([known.status, known.body]).toEqual([unknown.status, unknown.body])
  const text = await mailTo(email)
  expect([tokenIn(text), text.includes('/console/sign-in')]).toEqual(['', true])
  expect(tokenIn(await mailTo('unknown@example.org'))).not.toBe('')
  // The owner of the address keeps their session.
  expect((await client.ask('GET', '/me/sessions')).status).toBe(200)
})

it('sends an address 3 mails an hour, and takes 20 requests of a client in a minute', async () => {
  const statuses = []
  for (let count = 0; count < 4; count += 1) statuses.push((await request('flooded@example.com')).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const others = []
  for (let count = 0; count < 18; count += 1) others.push((await request(`n${count}@example.com`)).status)
  expect(others.slice(0, 16).every((status) => status === 200)).toBe(true)
  expect(others.slice(-2)).toEqual([429, 429])
})

describe('with domains', () => {
  it.each(['eve@evil.example', 'eve@sub.example.com', 'eve@example.com.evil.example', 'eve@notexample.com'])(
    'refuses %s',
    async (email) => {
      const answer = await request(email)
      expect([answer.status, reasonOf(answer)]).toEqual([400, 'no_sign_up'])
      issuer.person = { sub: email, email, email_verified: true }
      expect(reasonOf(await signInAt(consoleClient(plane)))).toBe('no_sign_up')
    },
  )

  it('takes a person whose issuer has verified such an address', async () => {
    issuer.person = { sub: 'otto', email: 'otto@example.org', email_verified: true }
    expect((await signInAt(consoleClient(plane))).body).toMatchObject({ is_new: true })
  })
})

it('by invitation only, creates no account, even with a link that was sent before', async () => {
  await request('late@example.com')
  const token = tokenIn(await mailTo('late@example.com'))
  const closed = await world.start({
    beside: plane,
    env: { ...environmentOf(issuer), PHONERACK_SMTP_URL: smtp.url },
  })
  expect(reasonOf(await request('new@example.com', closed))).toBe('no_sign_up')
  expect((await accept(token, 'late@example.com', closed)).status).toBe(404)
  issuer.person = { sub: 'new', email: 'new@example.com', email_verified: true }
  expect(reasonOf(await signInAt(consoleClient(closed)))).toBe('no_sign_up')
  const where = { email: { in: ['late@example.com', 'new@example.com'] } }
  expect(await plane.app.core.db.user.count({ where })).toBe(0)
})

it('does not make a signed-in person open the link of another account', async () => {
  const { client } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  await request('other@example.com')
  const token = tokenIn(await mailTo('other@example.com'))
  expect((await client.ask('POST', '/invitations/accept', { body: { token } })).status).toBe(400)
})

it('creates at most 20 accounts for a client in a day', async () => {
  const statuses = []
  for (let count = 0; count < 21; count += 1) {
    issuer.person = { sub: `many ${count}`, email: `many${count}@example.com`, email_verified: true }
    statuses.push((await signInAt(consoleClient(plane))).status)
    await plane.app.core.db.attempt.deleteMany({
      where: { endsAt: { lt: new Date(Date.now() + 3_600_000) } },
    })
  }
  expect([statuses.slice(0, 20).every((status) => status === 200), statuses.at(-1)]).toEqual([true, 429])
})
