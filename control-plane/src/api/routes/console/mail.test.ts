// Links by mail, with a real SMTP connection: invitations, and new passwords for people who have lost theirs.
import { hashSecret } from '@phonerack/shared'
import { startMailServer, type MailServer, type ReceivedMail } from '@phonerack/shared/testing/mail-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleClient, consoleUser, operatorLink, testPassword } from '../../../testing/console-client.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let smtp: MailServer
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  smtp = await startMailServer()
  plane = await world.start({ env: { PHONERACK_SMTP_URL: smtp.url } })
  tenant = await plane.tenant()
})
afterAll(() => smtp.close())

/** The token of the link in a mail. */
const tokenIn = ({ text }: ReceivedMail): string => /#(pri_[\w-]{43})/.exec(text)?.[1] ?? ''
const mailTo = async (address: string): Promise<ReceivedMail> => {
  await eventually(() => smtp.mails.some(({ to }) => to.includes(address)))
  const [mail] = smtp.mails.filter(({ to }) => to.includes(address)).slice(-1)
  if (!mail) throw new Error('no mail')
  return mail
}
const newPassword = 'a longer new password'

describe('a lost password', () => {
  it('is replaced by a link that works once and ends all sessions', async () => {
    const { client, email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const anybody = consoleClient(plane)
    expect((await anybody.ask('POST', '/resets', { body: { email } })).status).toBe(200)
    const token = tokenIn(await mailTo(email))
    const looked = await anybody.ask('POST', '/invitations/look', { body: { token } })
    expect(looked.body).toEqual({ role: 'reset', email, project: null })
    // The link for a new password is not an invitation.
    const user = { name: 'x', email: 'x@example.com', password: testPassword }
    expect((await anybody.ask('POST', '/invitations/accept', { body: { token, user } })).status).toBe(400)
    const accept = () => anybody.ask('POST', '/resets/accept', { body: { token, password: newPassword } })
    expect((await accept()).status).toBe(200)
    expect((await anybody.ask('GET', '/session')).body['user']).toMatchObject({ email })
    expect((await client.ask('GET', '/me/sessions')).status).toBe(401)
    expect((await accept()).status).toBe(404)
    const signIn = (password: string) =>
      consoleClient(plane).ask('POST', '/auth/sign-in/email', { body: { email, password } })
    expect([(await signIn(testPassword)).status, (await signIn(newPassword)).status]).toEqual([401, 200])
  })

  it('answers the same for an unknown address, and sends at most 3 mails an hour', async () => {
    const unknown = 'unknown@example.com'
    const { email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    for (const address of [email, unknown]) {
      const statuses = []
      for (let count = 0; count < 4; count += 1) {
        const answer = await consoleClient(plane).ask('POST', '/resets', { body: { email: address } })
        statuses.push(answer.status)
      }
      expect(statuses).toEqual([200, 200, 200, 429])
    }
    await mailTo(email)
    expect(smtp.mails.filter(({ to }) => to.includes(unknown))).toEqual([])
  })

  it('can be replaced by a link of an operator', async () => {
    const { email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
    const made = await plane.operator.inject({
      method: 'POST',
      url: '/operator/v1/resets',
      headers: { authorization: `Bearer ${plane.operatorToken}` },
      payload: { email },
    })
    expect(made.statusCode).toBe(201)
    const token = new URL(made.json<{ url: string }>().url).hash.slice(1)
    const accepted = await consoleClient(plane).ask('POST', '/resets/accept', {
      body: { token, password: newPassword },
    })
    expect(accepted.status).toBe(200)
  })
})

it('a changed password ends the other sessions, and not this one', async () => {
  const { client, email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const other = consoleClient(plane)
  await other.ask('POST', '/auth/sign-in/email', { body: { email, password: testPassword } })
  expect((await client.ask('POST', '/me/password', { body: { password: newPassword } })).status).toBe(200)
  expect((await client.ask('GET', '/me/sessions')).status).toBe(200)
  expect((await other.ask('GET', '/me/sessions')).status).toBe(401)
})

it('an invitation is sent, and its names add neither headers nor links', async () => {
  const { client } = await consoleUser(plane, { role: 'operator' })
  const name = 'Win https://evil.example now'
  const { body } = await client.ask('POST', '/projects', { body: { name } })
  const invited = await client.ask('POST', `/projects/${String(body['id'])}/invitations`, {
    body: { email: 'vera@example.com', role: 'viewer' },
  })
  expect(invited.body).toMatchObject({ is_mailed: true })
  const mail = await mailTo('vera@example.com')
  expect(tokenIn(mail)).not.toBe('')
  expect(mail.text).not.toContain('https://evil.example')
})

it('an invitation goes by mail only, so the account that its link creates has a proved address', async () => {
  const { client } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
  const email = 'wanda@example.com'
  const invited = await client.ask('POST', `/projects/${tenant.projectId}/invitations`, {
    body: { email, role: 'viewer' },
  })
  expect([invited.status, invited.body['url'], JSON.stringify(invited.body).includes('pri_')]).toEqual([
    ...[201, null, false],
  ])
  const token = tokenIn(await mailTo(email))
  const user = { name: 'Wanda', email, password: testPassword }
  const accepted = await consoleClient(plane).ask('POST', '/invitations/accept', { body: { token, user } })
  expect(accepted.status).toBe(200)
  const { db } = plane.app.core
  expect((await db.user.findUniqueOrThrow({ where: { email } })).emailVerified).toBe(true)
})

it('an invitation whose mail cannot be sent does not exist', async () => {
  const closed = await startMailServer()
  await closed.close()
  const other = await world.start({ beside: plane, env: { PHONERACK_SMTP_URL: closed.url } })
  const { client } = await consoleUser(other, { role: 'owner', projectId: tenant.projectId })
  const path = `/projects/${tenant.projectId}/invitations`
  const refused = await client.ask('POST', path, { body: { email: 'xena@example.com', role: 'viewer' } })
  expect([refused.status, refused.body['error']]).toMatchObject([503, { code: 'service_unavailable' }])
  expect(await plane.app.core.db.invitation.count({ where: { email: 'xena@example.com' } })).toBe(0)
})

it('a new password by a mailed link proves the address, and by the link of an operator it does not', async () => {
  const { db } = plane.app.core
  const isProved = async (email: string) =>
    (await db.user.findUniqueOrThrow({ where: { email } })).emailVerified
  const { email } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const accept = (token: string) =>
    consoleClient(plane).ask('POST', '/resets/accept', { body: { token, password: newPassword } })
  await accept(await operatorLink(plane, '/resets', { email }))
  expect(await isProved(email)).toBe(false)
  await consoleClient(plane).ask('POST', '/resets', { body: { email } })
  expect((await accept(tokenIn(await mailTo(email)))).status).toBe(200)
  expect(await isProved(email)).toBe(true)
})

it('invitations send one address at most 3 mails an hour for a project, and 30 for all', async () => {
  const { client } = await consoleUser(plane, { role: 'operator' })
  const { db } = plane.app.core
  const body = { email: 'flooded@example.com', role: 'viewer' }
  const invite = async (project: string) =>
    (await client.ask('POST', `/projects/${project}/invitations`, { body })).status
  const [first, second] = [await plane.tenant(), await plane.tenant()]
  const statuses = []
  for (let count = 0; count < 4; count += 1) statuses.push(await invite(first.projectId))
  expect(statuses).toEqual([201, 201, 201, 429])
  expect(await invite(second.projectId)).toBe(201)
  await db.attempt.update({
    where: { subject: hashSecret(`invitation mail ${body.email}`) },
    data: { count: 30 },
  })
  expect(await invite((await plane.tenant()).projectId)).toBe(429)
})
