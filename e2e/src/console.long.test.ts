/** The console in a real Chromium: members, passkeys, its policy and its accessibility. */
import { type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import {
  acceptLink,
  addAuthenticator,
  axeFindings,
  becomeOperator,
  consolePassword,
  loaded,
  newKey,
  newPage,
  newProject,
  operatorLink,
} from './system/console-pages.js'
import { type System } from './system/system.js'

const run = Date.now().toString(36)
const wide = { viewport: { width: 1440, height: 900 } }
const narrow = { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true }

let system: System
let browser: Browser
let owner: Page
/** Errors of the pages, and violations of their policy. */
const complaints: string[] = []
/** Chromium reports each refused request as an error, and tests cause some. */
const isRefusal = (text: string): boolean =>
  /Failed to load resource: .* status of (401|403|404|400)/.test(text)

const open = (context: object = wide): Promise<Page> => newPage(browser, context, complaints)

beforeAll(async () => {
  system = inject('system')
  browser = await openBrowser()
  owner = await open()
  await becomeOperator(owner, system, { name: 'Olga', email: `olga-${run}@example.com` })
  await newProject(owner, `Shop ${run}`)
}, 200_000)
afterAll(async () => {
  await browser.close()
})

/** Signs in by a passkey like a page that does not verify the user. Returns the server's status. */
const signInUnverified = (page: Page): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const session = await (await fetch('/console/api/session')).json()
    const options = await (await fetch('/console/api/auth/passkey/generate-authenticate-options')).json()
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...options, userVerification: 'discouraged' })
    const credential = await navigator.credentials.get({ publicKey })
    const answer = await fetch('/console/api/auth/passkey/verify-authentication', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': session.csrf_token },
      body: JSON.stringify({ response: credential.toJSON() }),
    })
    return answer.status
  })()`)

describe('a viewer', () => {
  it('joins by a link, and sees only the parts for viewers', async () => {
    await owner.getByRole('link', { name: 'Members' }).click()
    await owner.getByRole('button', { name: 'Invite' }).click()
    const dialog = owner.getByRole('dialog')
    await dialog.getByLabel('E-mail address').fill(`vera-${run}@example.com`)
    await dialog.getByLabel('Role').selectOption('viewer')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = await dialog.locator('code').innerText()
    await dialog.getByRole('button', { name: 'Done' }).click()

    const viewer = await open()
    await acceptLink(viewer, link, { name: 'Vera' })
    for (const [page, action] of [
      ['Phones', 'New phone'],
      ['API keys', 'New key'],
      ['Members', 'Invite'],
    ] as const) {
      await viewer.getByRole('link', { name: page }).click()
      await viewer.getByRole('heading', { level: 1, name: page }).waitFor()
      expect(await viewer.getByRole('button', { name: action }).count()).toBe(0)
    }
    // The server decides, not the page.
    const project = /projects\/([^/]+)/.exec(viewer.url())?.[1] ?? ''
    const status = await viewer.evaluate(async (id) => {
      const session = (await (await fetch('/console/api/session')).json()) as { csrf_token: string }
      const answer = await fetch(`/console/api/projects/${id}/keys`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-csrf-token': session.csrf_token },
        body: JSON.stringify({ name: 'mine' }),
      })
      return answer.status
    }, project)
    expect(status).toBe(403)
    await viewer.context().close()
  })
})

describe('the sign-in page', () => {
  it('leads to the requested page, and never to another site', async () => {
    const { origin } = new URL(owner.url())
    const email = `nina-${run}@example.com`
    const page = await open()
    await acceptLink(page, await operatorLink(system), { name: 'Nina', email })
    const signOut = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Account and theme' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    }
    const signIn = async (): Promise<void> => {
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill(consolePassword)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Sign in to Phonerack' }).waitFor({ state: 'detached' })
    }
    await signOut()
    await page.goto(`${origin}/console/account`)
    await signIn()
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    for (const hostile of [
      '//evil.example/',
      '/\\evil.example',
      '/\t/evil.example',
      'https://evil.example',
    ]) {
      await page.goto(`${origin}/console/account`)
      await signOut()
      await page.goto(`${origin}/console/sign-in?next=${encodeURIComponent(hostile)}`)
      await signIn()
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(new URL(page.url()).origin).toBe(origin)
    }
    await page.context().close()
  })
})

describe('a passkey', () => {
  it('is added with an account, and signs in', async () => {
    const page = await open()
    const device = await addAuthenticator(page)
    await page.goto(await operatorLink(system))
    await page.getByLabel('Name').fill('Petra')
    await page.getByLabel('E-mail address').fill(`petra-${run}@example.com`)
    await page.getByRole('button', { name: 'Continue with a passkey' }).click()
    await page.getByRole('button', { name: 'Account and theme' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('button', { name: 'Account and theme' }).waitFor()
    await page.getByRole('button', { name: 'Account and theme' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    // The server does not rely on the page, which asks for the person's PIN, fingerprint or face.
    await device.verifies(false)
    expect(await signInUnverified(page)).toBe(400)
    await page.context().close()
  })

  it('creates no account when the person declines, and Enter submits the password', async () => {
    const page = await open()
    const device = await addAuthenticator(page)
    await device.verifies(false)
    await page.goto(await operatorLink(system))
    await page.getByLabel('Name').fill('Paul')
    await page.getByLabel('E-mail address').fill(`paul-${run}@example.com`)
    await page.getByRole('button', { name: 'Continue with a passkey' }).click()
    await page.getByText('No passkey was used.').waitFor()
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByLabel('Password').press('Enter')
    await page.getByRole('button', { name: 'Account and theme' }).waitFor()
    await page.goto(`${new URL(page.url()).origin}/console/account`)
    await page.getByText('You can sign in with a password.').waitFor()
    await page.context().close()
  })

  it('is not offered at an IP address, where it cannot work', async () => {
    const page = await open()
    await page.goto(`${system.up.base_url}/console/sign-in`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /passkey/ }).count()).toBe(0)
    await page.context().close()
  })
})

describe('the page', () => {
  it('can be used by keyboard only, with the palette', async () => {
    await owner.keyboard.press('Control+k')
    await owner.getByRole('combobox', { name: 'Search commands' }).waitFor()
    await owner.keyboard.type('api keys')
    await owner.keyboard.press('Enter')
    await owner.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(await owner.getByRole('dialog').count()).toBe(0)
  })

  it('has a policy without exceptions, and never the same nonce', async () => {
    const policies = []
    for (const path of ['sign-in', 'welcome']) {
      const answer = await fetch(`${system.up.base_url}/console/${path}`)
      const policy = answer.headers.get('content-security-policy') ?? ''
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
      const html = await answer.text()
      expect(html).not.toContain('__NONCE__')
      expect(html).toContain(`nonce="${nonce}"`)
      expect(policy).not.toMatch(/unsafe/)
      expect(policy).toContain("require-trusted-types-for 'script'")
      policies.push(nonce)
    }
    expect(policies[0]).not.toBe(policies[1])
  })

  it('shows hostile names as text', async () => {
    const name = `<img src=x onerror=alert(1)>${run}`
    await newProject(owner, name)
    await owner.getByText(name).first().waitFor()
    expect(await owner.locator('img[src="x"]').count()).toBe(0)
    // A direction character must not change the question around it, and is not shown there.
    const shown = `gnp.txt ${'x'.repeat(60)}`
    const turned = `\u202E${shown}`
    await newKey(owner, turned)
    await owner.getByRole('button', { name: `Revoke ${turned}` }).click()
    const title = owner.getByRole('alertdialog').getByRole('heading')
    expect(await title.locator('bdi').innerText()).toBe(shown)
    expect(
      await owner.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
    ).toBeLessThanOrEqual(0)
    await owner.getByRole('button', { name: 'Cancel' }).click()
  })
})

async function eachPage(
  context: BrowserContext,
  check: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const page = await context.newPage()
  await page.goto(owner.url())
  const base = owner.url().replace(/\/(phones|keys|activity|events|webhooks|usage|credit|members).*/, '')
  for (const name of [
    ...['phones', 'keys', 'activity', 'events', 'webhooks', 'usage', 'credit', 'members'],
  ]) {
    await page.goto(`${base}/${name}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await loaded(page)
    await check(page, name)
  }
  await page.goto(`${new URL(base).origin}/console/projects`)
  await page.getByRole('list', { name: 'By project' }).waitFor()
  await check(page, 'projects')
  await page.goto(`${new URL(base).origin}/console/account`)
  await page.getByText('this one').waitFor()
  await check(page, 'account')
  await page.goto(`${new URL(base).origin}/console/connect`)
  await page.getByLabel('Code').waitFor()
  await check(page, 'connect')
  await page.close()
}

it('a service without Stripe explains who adds credit', async () => {
  const page = await open()
  await becomeOperator(page, system, { name: 'Otto', email: `otto-${run}@example.com` })
  await page.goto(`${new URL(page.url()).origin}/console/projects/${system.up.project.id}/credit`)
  await page.getByText('This service does not sell credit').waitFor()
  expect(await page.getByRole('button', { name: 'Buy credit' }).count()).toBe(0)
  await page.context().close()
})

describe.each([
  ['narrow', narrow],
  ['wide', wide],
] as const)('on a %s screen', (_, size) => {
  it('axe finds nothing in light and dark pages', async () => {
    const storageState = await owner.context().storageState()
    const context = await browser.newContext({ ...size, storageState })
    const findings: string[] = []
    await eachPage(context, async (page, name) => {
      findings.push(...(await axeFindings(page)).map((finding) => `${name} ${finding}`))
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
      if (overflow > 0) findings.push(`${name} is ${overflow} px too wide`)
    })
    await context.close()
    const outside = await open(size)
    await outside.goto(`${new URL(owner.url()).origin}/console/sign-in`)
    await outside.getByLabel('Password').waitFor()
    findings.push(...(await axeFindings(outside)).map((finding) => `sign-in ${finding}`))
    await outside.context().close()
    expect(findings).toEqual([])
  })
})

it('a sign-out ends the session in every tab', async () => {
  const email = `rita-${run}@example.com`
  const page = await open()
  await acceptLink(page, await operatorLink(system), { name: 'Rita', email })
  await page.getByRole('button', { name: 'Account and theme' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill('a wrong password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText('not correct').waitFor()
  await page.getByLabel('Password').fill(consolePassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Account and theme' }).waitFor()
  await page.context().close()
})

it('no page had an error or violated its policy', () => {
  expect(complaints.filter((text) => !isRefusal(text))).toEqual([])
})
