/**
 * Sign-up by mail and sign-in at an OpenID Connect issuer in a real Chromium: new accounts, a linked account,
 * and refused answers.
 */
import { startMailServer, type MailServer } from '@phonerack/shared/testing/mail-server'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { openBrowser } from '../system/browser.js'
import {
  acceptLink,
  axeFindings,
  consolePassword,
  firstLink,
  loaded,
  newPage,
} from '../system/console-pages.js'
import { startOidcIssuer, type OidcIssuer } from '../system/oidc-issuer.js'
import { eventually, operatorOf } from '../system/tenant.js'

let issuer: OidcIssuer
let mail: MailServer
const system = inject('system')
let browser: Browser
/** Errors of the pages, and violations of their policy. */
const complaints: string[] = []
const isRefusal = (text: string): boolean => /Failed to load resource: .* status of 400/.test(text)

const ann = { sub: 'ann', email: 'ann@example.com', email_verified: true, name: 'Ann Example' }
const open = (said = complaints): Promise<Page> =>
  newPage(browser, { viewport: { width: 1440, height: 900 } }, said)
const consoleAt = (path: string): string => `${new URL(system.up.console_url).origin}/console${path}`
const inside = (page: Page) => page.getByRole('button', { name: 'Account and theme' })

beforeAll(async () => {
  issuer = await startOidcIssuer(ann, inject('standIns').issuer)
  mail = await startMailServer(inject('standIns').mail)
  browser = await openBrowser()
}, 300_000)
afterAll(async () => {
  await browser.close()
  await issuer.close()
  await mail.close()
}, 200_000)

async function signInAtIssuer(page: Page): Promise<void> {
  await page.goto(consoleAt('/sign-in'))
  await page.getByRole('button', { name: 'Continue with Example ID' }).click()
  await page.getByRole('link', { name: 'Continue as' }).click()
  await inside(page).waitFor()
}

describe('a new person', () => {
  it('signs in at the issuer, has a project with credit, and finds it after the next sign-in', async () => {
    const page = await open()
    await signInAtIssuer(page)
    await page.getByText('First project').first().waitFor()
    const at = page.url()
    expect(at).toMatch(/\/console\/projects\/proj_\w+\/phones$/)
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('$5.00').first().waitFor()
    // The code is not in the history.
    await page.goBack()
    expect(page.url()).not.toContain('code=')

    const again = await open()
    await signInAtIssuer(again)
    expect(again.url()).toBe(at)
  })

  it('returns to the page that they opened', async () => {
    const page = await open()
    await page.goto(consoleAt('/account'))
    await page.getByRole('button', { name: 'Continue with Example ID' }).click()
    await page.getByRole('link', { name: 'Continue as' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  })
})

describe('a new person without a provider', () => {
  it('gets a link by mail, and creates an account with it', async () => {
    const page = await open()
    await page.goto(consoleAt('/sign-in'))
    await page.getByRole('link', { name: 'Create an account' }).click()
    // The page for signing in has such a field too.
    await page.getByRole('heading', { level: 1, name: 'Create an account' }).waitFor()
    await page.getByLabel('E-mail address').fill('nora@example.com')
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('status').getByText('A mail is on its way').waitFor()
    let link = ''
    await eventually('the mail arrives', 100_000, () => {
      link = /http\S+#pri_[\w-]{43}/.exec(mail.mails.map(({ text }) => text).join('\n'))?.[0] ?? ''
      return Promise.resolve(link !== '')
    })
    await page.goto(link)
    await page.getByText('Create your account for nora@example.com').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await acceptLink(page, link, { name: 'Nora' })
    await page.getByText('First project').first().waitFor()
  })
})

it('axe finds nothing on the public pages', async () => {
  const page = await open()
  const findings: string[] = []
  for (const [url, heading] of [
    [consoleAt('/forgot'), 'New password'],
    [`${system.up.base_url}/setup`, 'Connect a terminal'],
  ] as const) {
    await page.goto(url)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    findings.push(...(await axeFindings(page)).map((finding) => `${heading} ${finding}`))
  }
  expect(findings).toEqual([])
})

describe('a person with a password', () => {
  it('adds the account at the issuer, signs in with it, and removes it', async () => {
    issuer.person = { sub: 'otto', email: 'otto@work.example', email_verified: true, name: 'Otto' }
    const page = await open()
    await acceptLink(page, await firstLink(system), { name: 'Otto', email: 'otto@example.com' })
    await page.goto(consoleAt('/account'))
    await page.getByRole('button', { name: 'Add Example ID' }).click()
    await page.getByRole('link', { name: 'Continue as Otto' }).click()
    await page.getByRole('list', { name: 'Other ways to sign in' }).getByText('Example ID').waitFor()
    await loaded(page)
    expect(await axeFindings(page)).toEqual([])

    const other = await open()
    await signInAtIssuer(other)
    await other.goto(consoleAt('/account'))
    await other.getByText('otto@example.com').waitFor()

    await page.getByRole('button', { name: 'Remove the account Example ID' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Add an account to sign in with it').waitFor()
  })
})

it('a link of an operator, which works once, sets a new password', async () => {
  const email = 'rita@example.com'
  const refusals: string[] = []
  const page = await open(refusals)
  await acceptLink(page, await firstLink(system), { name: 'Rita', email })
  const reset = await operatorOf(system).post('/operator/v1/resets', { email })
  const link = z.object({ url: z.string() }).parse(reset.body).url
  const other = await open(refusals)
  await other.goto(link)
  await other.getByLabel('New password').fill('another long password')
  expect(await axeFindings(other)).toEqual([])
  await other.getByRole('button', { name: 'Change password' }).click()
  await inside(other).waitFor()

  // The earlier sign-ins have ended, and the earlier password no longer works.
  await page.goto(consoleAt('/account'))
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(consolePassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('The e-mail address or the password is not correct.').waitFor()
  await page.getByLabel('Password').fill('another long password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await inside(page).waitFor()
  const again = await open(refusals)
  await again.goto(link)
  await again.getByRole('heading', { name: 'This link is not valid' }).waitFor()
  // The complaints are the ended sign-in, the earlier password and the used link, and no violation of the
  // pages' policy.
  const statuses = refusals.map(
    (text) => /Failed to load resource: .* status of (\d+)/.exec(text)?.[1] ?? text,
  )
  expect([...new Set(statuses)].toSorted()).toEqual(['401', '404'])
})

describe('an answer', () => {
  it('explains the result to a person who declined', async () => {
    const page = await open()
    await page.goto(consoleAt('/sign-in'))
    await loaded(page)
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Continue with Example ID' }).click()
    await page.getByRole('link', { name: 'Decline' }).click()
    await page.getByRole('alert').getByText('You did not sign in at the provider.').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Password').waitFor()
  })

  it('signs nobody in when no sign-in began in this browser, and leaves the address', async () => {
    const page = await open()
    await page.goto(consoleAt(`/callback/oidc?code=12345678901234567890&state=1e5&iss=${issuer.url}`))
    await page.getByRole('alert').getByText('has ended, or began in another browser').waitFor()
    expect(page.url()).toBe(consoleAt('/callback/oidc'))
    await page.goto(consoleAt('/'))
    await page.getByLabel('Password').waitFor()
  })
})

it('does not violate the policy of the pages', () => {
  expect(complaints.filter((text) => !isRefusal(text))).toEqual([])
})
