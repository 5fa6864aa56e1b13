/** The console in a real Chromium: sign-in, a virtual authenticator, and checks of a page. */
import { AxeBuilder } from '@axe-core/playwright'
import { type Locator, type Page } from 'playwright-core'
import { z } from 'zod'
import { bodyOf } from '../conformance/rented.js'
import { newPage } from './live-pages.js'
import { type System } from './system.js'
import { operatorOf, untilFree } from './tenant.js'

export { newPage }

export const consolePassword = 'correct horse battery'

/**
 * Creates a one-time link for an operator. Links of tests that run at the same moment end with the first
 * operator.
 */
export async function operatorLink(system: System): Promise<string> {
  const made = bodyOf(await operatorOf(system).post('/operator/v1/invitations', {}), 201)
  return z.object({ url: z.string() }).parse(made).url
}

/**
 * Returns the link of `up`, or another link once an operator exists. Another test may use it first; see
 * `becomeOperator`.
 */
export async function firstLink(system: System): Promise<string> {
  const operator = operatorOf(system)
  const state = z
    .object({ has_operator: z.boolean() })
    .parse(bodyOf(await operator.get('/operator/v1/console')))
  return state.has_operator || system.up.sign_in_url === null ? operatorLink(system) : system.up.sign_in_url
}

interface Person {
  name: string
  email?: string
}

const inside = (page: Page) => page.getByRole('button', { name: 'Account and theme' })

/** Returns false when the link has ended. Otherwise the page is in the console. */
async function tryLink(page: Page, url: string, person: Person): Promise<boolean> {
  await page.goto(url)
  const name = page.getByLabel('Name')
  const notValid = page.getByRole('heading', { level: 1, name: 'This link is not valid' })
  await name.or(notValid).waitFor()
  if (await notValid.isVisible()) return false
  await name.fill(person.name)
  if (person.email !== undefined) await page.getByLabel('E-mail address').fill(person.email)
  await page.getByLabel('Password').fill(consolePassword)
  await page.getByRole('button', { name: 'Continue with a password' }).click()
  // The alert also reports a link that ended between the read and its use.
  const refused = page.getByRole('alert').getByRole('paragraph')
  await inside(page).or(refused).first().waitFor()
  if (await inside(page).isVisible()) return true
  const text = await refused.innerText()
  if (text.includes('already used')) return false
  throw new Error(`the link was refused: ${text}`)
}

/** Accepts a link with a password. The page is then in the console. */
export async function acceptLink(page: Page, url: string, person: Person): Promise<void> {
  if (!(await tryLink(page, url, person))) throw new Error(`${url.split('#')[0]}: the link has ended`)
}

/**
 * Makes the page's person an operator, who is then in the console. The link of `up` works once, and the first
 * operator ends all other links: another test file on the same system may do either at any moment.
 */
export async function becomeOperator(page: Page, system: System, person: Required<Person>): Promise<void> {
  while (!(await tryLink(page, await firstLink(system), person))) {
    // The next link differs only in its fragment, which would not load the page.
    await page.goto('about:blank')
  }
}

/** Creates a project and opens its page of keys. */
export async function newProject(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /Switch project/ }).click()
  await page.getByRole('menuitem', { name: 'New project' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
}

/** Creates a key on the page of keys, and returns it. */
export async function newKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy your key now' })
  const key = await dialog.locator('code').first().innerText()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  return key
}

/** Invites a person on the page of an owner or operator. Returns the link. */
export async function invite(
  page: Page,
  project: string,
  { email, role }: { email: string; role: 'viewer' | 'member' | 'owner' },
): Promise<string> {
  await page.goto(`${new URL(page.url()).origin}/console/projects/${project}/members`)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail address').fill(email)
  await dialog.getByLabel('Role').selectOption(role)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.locator('code').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return link
}

/**
 * Goes from the public console of an operator to the operators' console, and signs in there. Returns the
 * console's origin.
 */
export async function enterOperators(page: Page, email: string): Promise<string> {
  await inside(page).click()
  await page.getByRole('menuitem', { name: 'Operators’ console' }).click()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(consolePassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Hosts' }).waitFor()
  return new URL(page.url()).origin
}

/** Adds an app on the operators' page of the library. */
export async function addToLibrary(page: Page, apks: readonly Buffer[], label: string): Promise<void> {
  await page.getByRole('button', { name: 'Add app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an app' })
  await dialog
    .getByLabel('APK files')
    .setInputFiles(
      apks.map((buffer, at) => ({ name: `${at}.apk`, mimeType: 'application/octet-stream', buffer })),
    )
  await dialog.getByRole('button', { name: 'Add app' }).click()
  await page.getByRole('list', { name: 'Apps' }).getByText(label).waitFor()
}

/** Rents a phone on the page of phones, as soon as a phone is free. */
export async function rentPhone(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New phone' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  const status = await untilFree(
    async () => {
      const answer = page.waitForResponse(
        (each) => each.request().method() === 'POST' && each.url().endsWith('/phones'),
        { timeout: 150_000 },
      )
      await page.getByRole('button', { name: 'Rent phone' }).click()
      return (await answer).status()
    },
    (each) => each === 503,
  )
  if (status !== 201) throw new Error(`the console answered ${status}`)
}

/** Waits until no part of the page is loading. The page's policy refuses functions that are sent as text. */
export const loaded = (page: Page): Promise<void> =>
  page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })

/** A passkey device that always agrees, and verifies its user unless that is switched off. */
export async function addAuthenticator(page: Page): Promise<{ verifies(isOn: boolean): Promise<void> }> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    verifies: (isOn) =>
      session
        .send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isOn })
        .then(() => undefined),
  }
}

/** A script that returns the positions and colours of all elements in the page. */
const look = `JSON.stringify([...document.querySelectorAll('body *')].map((element) => {
  const { left, top, width, height } = element.getBoundingClientRect()
  return [left, top, width, height, getComputedStyle(element).color]
}))`

/**
 * Waits until no element of the page moves or changes its colour, since axe would otherwise mix earlier and
 * later states.
 */
async function atRest(page: Page): Promise<void> {
  let before = ''
  for (let looks = 0; looks < 50; looks += 1) {
    await page.waitForTimeout(100)
    const now = await page.evaluate<string>(look)
    if (now === before) return
    before = now
  }
}

/**
 * Findings of axe in light and dark, as text; empty: the page is accessible as far as axe can check it.
 * @param part a selector; omitted: the whole page
 */
export async function axeFindings(page: Page, part?: string): Promise<string[]> {
  const findings: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without this setting, colours would be the colours of a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await atRest(page)
    const axe = new AxeBuilder({ page })
    if (part !== undefined) axe.include(part)
    const { violations } = await axe.analyze()
    for (const { id, nodes } of violations)
      findings.push(...nodes.map(({ html }) => `${colorScheme} ${id}: ${html.slice(0, 200)}`))
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return findings
}

/** The number of Tab presses. A dialog has fewer fields and buttons. */
const tabs = 15

/**
 * Checks an open dialog: by axe, that the keyboard focus stays in it, and that Escape returns the focus.
 * @param opener the button that opened the dialog, or its menu
 */
export async function dialogFindings(page: Page, opener: Locator): Promise<string[]> {
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await dialog.waitFor()
  const name = await dialog.getByRole('heading').first().innerText()
  const findings = await axeFindings(page)
  for (let pressed = 0; pressed < tabs; pressed += 1) {
    await page.keyboard.press('Tab')
    if ((await page.locator(':is([role=dialog], [role=alertdialog]):focus-within').count()) === 0)
      findings.push(`${pressed + 1} tabs leave it`)
  }
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  // The focus returns after the dialog was removed.
  await page.waitForTimeout(200)
  if ((await opener.and(page.locator(':focus')).count()) === 0) findings.push('Escape does not lead back')
  return findings.map((finding) => `${name}: ${finding}`)
}
