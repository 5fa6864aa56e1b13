/** A phone in the console, in a real Chromium: its live view inside, what an agent does, and its end. */
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import { acceptLink, axeFindings, becomeOperator, consolePassword, newPage } from './system/console-pages.js'
import { type System } from './system/system.js'
import { eventually } from './system/tenant.js'

const run = Date.now().toString(36)
const wide = { viewport: { width: 1440, height: 900 } }

let system: System
let browser: Browser
let owner: Page
let viewer: Page
const complaints: string[] = []
const viewerEmail = `walt-${run}@example.com`

beforeAll(async () => {
  system = inject('system')
  browser = await openBrowser()
  owner = await newPage(browser, wide, complaints)
  await becomeOperator(owner, system, { name: 'Paul', email: `paul-${run}@example.com` })
  await owner.goto(`${new URL(owner.url()).origin}/console/projects/${system.up.project.id}/members`)
  await owner.getByRole('button', { name: 'Invite' }).click()
  const dialog = owner.getByRole('dialog')
  await dialog.getByLabel('E-mail address').fill(viewerEmail)
  await dialog.getByLabel('Role').selectOption('viewer')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.locator('code').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  viewer = await newPage(browser, wide, complaints)
  await acceptLink(viewer, link, { name: 'Walt' })
}, 200_000)
afterAll(async () => {
  await browser.close()
})

const act = async (phone: string, actions: object[]): Promise<number> => {
  const headers = { authorization: `Bearer ${system.up.keys.admin}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ actions, observe: 'text' })
  const answer = await fetch(`${system.up.base_url}/v1/phones/${phone}/actions`, {
    method: 'POST',
    headers,
    body,
  })
  await answer.text()
  return answer.status
}

const liveOf = (page: Page) => page.frameLocator('iframe[title^="Live view"]')

it('is rented, watched and followed, and ends with the sign-in, the park and the deletion', async () => {
  const name = `console phone ${run}`
  await owner.getByRole('link', { name: 'Phones' }).click()
  await owner.getByRole('button', { name: 'New phone' }).click()
  await owner.getByRole('dialog').getByLabel('Name').fill(name)
  await owner.getByRole('button', { name: 'Rent phone' }).click()
  await owner.getByRole('link', { name }).click()
  await owner.getByRole('heading', { level: 1, name }).waitFor()
  const phone = /phones\/(ph_\w+)/.exec(owner.url())?.[1] ?? ''

  // The live view of an owner takes input; that of a viewer only shows.
  await liveOf(owner).locator('body[data-state="live"]').waitFor({ timeout: 90_000 })
  expect(await liveOf(owner).getByText('Watch only').isVisible()).toBe(false)
  await viewer.goto(owner.url())
  await liveOf(viewer).locator('body[data-state="live"]').waitFor({ timeout: 60_000 })
  expect(await liveOf(viewer).getByText('Watch only').isVisible()).toBe(true)
  expect(await viewer.getByRole('button', { name: /^(Park|Delete)/ }).count()).toBe(0)

  // The timeline follows the agent.
  expect(await act(phone, [{ type: 'home' }, { type: 'open_app', package: 'com.android.settings' }])).toBe(
    200,
  )
  const step = viewer.getByRole('list', { name: 'Steps' }).locator('> li').first()
  await step.getByText('open app').waitFor()
  await step.getByText('succeeded').waitFor()
  await step.getByRole('button', { name: 'Screen as text' }).click()
  await step.locator('pre').getByText('app com.android.settings').waitFor()

  expect(await axeFindings(owner)).toEqual([])

  // A sign-out elsewhere ends the view within seconds.
  const other = await newPage(browser, wide, complaints)
  await other.goto(`${new URL(owner.url()).origin}/console/sign-in`)
  await other.getByLabel('E-mail address').fill(viewerEmail)
  await other.getByLabel('Password').fill(consolePassword)
  await other.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.getByRole('button', { name: 'Account and theme' }).waitFor()
  await other.goto(`${new URL(owner.url()).origin}/console/account`)
  await other.getByRole('button', { name: /^End the sign-in/ }).click()
  await liveOf(viewer).locator('body[data-state="over"]').waitFor({ timeout: 30_000 })

  await owner.getByRole('button', { name: 'Park' }).click()
  await owner.getByText('The phone is parked, and costs nothing').waitFor({ timeout: 60_000 })
  await owner.getByRole('button', { name: 'Start' }).click()
  await liveOf(owner).locator('body[data-state="live"]').waitFor({ timeout: 90_000 })
  await owner.getByRole('button', { name: 'Delete…' }).click()
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Delete phone' }).click()
  await owner.getByRole('heading', { level: 1, name: 'Phones' }).waitFor()
  await eventually('the phone is gone from the list', 30_000, async () => {
    const rows = await owner.getByRole('list', { name: 'Phones', exact: true }).getByText(name).count()
    return rows === 0
  })
})

it('had no error, and violated no policy', () => {
  // The viewer's page asked again after its sign-in had ended.
  expect(complaints.filter((text) => !/status of (401|403|404)/.test(text))).toEqual([])
})
