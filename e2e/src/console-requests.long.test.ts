/** Agents that ask for help, and the console's use by keyboard, in a real Chromium. */
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bodyOf } from './conformance/rented.js'
import { openBrowser } from './system/browser.js'
import { axeFindings, becomeOperator, loaded, newPage } from './system/console-pages.js'
import { mobile } from './system/live-pages.js'
import { eventually, newTenant, readyPhone, type Tenant } from './system/tenant.js'

const run = Date.now().toString(36)
const phoneName = `asking phone ${run}`
const message = 'Please sign in to <b>the bank</b>.'
const system = inject('system')
const complaints: string[] = []
let browser: Browser
let page: Page
let tenant: Tenant
let phone = ''
let project = ''

beforeAll(async () => {
  browser = await openBrowser()
  page = await newPage(
    browser,
    { viewport: { width: 1440, height: 900 }, permissions: ['notifications'] },
    complaints,
  )
  // The page does not have the focus, as when the person works in another window.
  await page.addInitScript({
    content: `window.shown = []
window.Notification = class { static permission = 'granted'; constructor(title, options) { shown.push([title, options.body]) } }
document.hasFocus = () => false`,
  })
  await becomeOperator(page, system, { name: 'Rita', email: `rita-${run}@example.com` })
  tenant = await newTenant(system)
  phone = (await readyPhone(tenant.admin, { name: phoneName })).id
  project = `/console/projects/${tenant.projectId}`
}, 200_000)
afterAll(async () => {
  await tenant.admin.delete(`/v1/phones/${phone}`)
  await browser.close()
})

async function openPage(path: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}${project}/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await loaded(page)
}
const requests = () => page.getByRole('link', { name: /^Requests/ })
const rows = () => page.getByRole('list', { name: 'Phones' }).getByRole('listitem')

it('an agent that asks for help is seen on every page, is listed, and its phone comes first', async () => {
  await openPage('keys')
  expect(await requests().innerText()).toBe('Requests')
  const asked = bodyOf(await tenant.agent.post(`/v1/phones/${phone}/handoffs`, { message }), 201)
  await page.getByRole('link', { name: 'Requests 1 waiting' }).waitFor()
  expect(await page.title()).toBe('(1) API keys · Phonerack')
  await eventually(
    'a notification',
    60_000,
    async () => (await page.evaluate<unknown[]>('shown')).length === 1,
  )
  expect(await page.evaluate('shown')).toEqual([[`${phoneName}: an agent asks for help`, message]])

  for (const view of ['', '?view=wall']) {
    await openPage(`phones${view}`)
    await rows().first().getByText('asks for help').waitFor()
  }
  await requests().click()
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
  await page.getByText(message).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('link', { name: phoneName }).click()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Take over' }).click()
  await page.getByText('You control the phone.').waitFor()
  await page.getByRole('link', { name: 'Requests', exact: true }).waitFor()

  // While a person controls the phone, the calls of agents are in the timeline.
  const refused = await tenant.agent.post(`/v1/phones/${phone}/actions`, { actions: [{ type: 'home' }] })
  expect(refused.status).toBe(409)
  await page.getByRole('list', { name: 'Steps' }).getByText('A person controlled the phone.').waitFor()
  await openPage('phones')
  await rows().first().getByText('taken over').waitFor()
  const { id } = asked as { id: string }
  await tenant.agent.delete(`/v1/phones/${phone}/handoffs/${id}`)
  await rows().first().getByText('ready').waitFor()
})

it('the palette finds a phone by a part of its name, and keys before it is loaded are not lost', async () => {
  // The file of the palette is loaded late.
  await page.route(/\/palette-[^/]*\.js$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await route.continue()
  })
  await openPage('keys')
  await page.keyboard.press('Control+k')
  await page.keyboard.type(phoneName.slice(0, 9), { delay: 20 })
  const search = page.getByRole('combobox', { name: 'Search commands' })
  await search.waitFor()
  expect(await search.inputValue()).toBe(phoneName.slice(0, 9))
  await page.getByRole('option', { name: phoneName }).click()
  await page.getByRole('heading', { level: 1, name: phoneName }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Take over' }).click()
  await page.getByText('You control the phone.').waitFor()
})

it('shows that the take-over ended when the phone parks', async () => {
  await tenant.admin.post(`/v1/phones/${phone}/park`)
  await page.getByText('Your take-over has ended.').waitFor()
})

it('the URL contains the open tab of a phone', async () => {
  await openPage(`phones/${phone}`)
  await page.getByRole('tab', { name: 'Recordings' }).click()
  await eventually('the address', 60_000, () => Promise.resolve(page.url().endsWith('?tab=Recordings')))
  await page.reload()
  await page.getByRole('tab', { name: 'Recordings', selected: true }).waitFor()
})

it('shows the price before renting, and asks once before a key that was not copied is hidden', async () => {
  await openPage('phones')
  await page.getByRole('button', { name: 'New phone' }).click()
  await page
    .getByRole('dialog')
    .getByText('It costs $0.06 a minute while it runs, at least 60 seconds.')
    .waitFor()
  await page.keyboard.press('Escape')

  await openPage('keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('hasty')
  await page.getByRole('button', { name: 'Create key' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy your key now' })
  const key = await shown.locator('code').first().innerText()
  await page.keyboard.press('Escape')
  const question = page.getByRole('alertdialog', { name: 'Close without copying the key?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await shown.waitFor()
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Close' }).click()
  await shown.waitFor({ state: 'detached' })
  const row = page
    .getByRole('list', { name: 'Active keys' })
    .getByRole('listitem')
    .filter({ hasText: 'hasty' })
  expect(await row.innerText()).toContain(`${key.slice(0, 10)}… · created just now · all phones · never used`)
})

it('two fingers on the live view scroll the page around it, and one finger does not', async () => {
  expect((await tenant.admin.post(`/v1/phones/${phone}/start`, {})).status).toBe(200)
  const storageState = await page.context().storageState()
  const small = await newPage(browser, { ...mobile, storageState }, complaints)
  await small.goto(`${new URL(page.url()).origin}${project}/phones/${phone}`)
  const frame = small.locator('iframe')
  await frame.contentFrame().locator('body[data-state="live"]').waitFor()
  const screen = await frame.contentFrame().locator('canvas').boundingBox()
  if (!screen) throw new Error('no canvas')
  const input = await small.context().newCDPSession(small)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ys: readonly number[]) =>
    input.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: ys.map((y, id) => ({ x: screen.x + 80 + 60 * id, y: screen.y + y, id })),
    })
  const scrolled = () => small.evaluate<number>('scrollY')
  const drag = async (...from: number[]): Promise<void> => {
    for (let count = 1; count <= from.length; count += 1) await touch('touchStart', from.slice(0, count))
    for (let moved = 20; moved <= 200; moved += 20)
      await touch(
        'touchMove',
        from.map((y) => y - moved),
      )
    await touch('touchEnd', [])
  }
  await drag(300)
  expect(await scrolled()).toBe(0)
  await drag(300, 320)
  await eventually('the page scrolls', 60_000, async () => (await scrolled()) > 100)
  await small.context().close()
})

it('had no error, and violated no policy', () => {
  // The agent's refused request to the phone is not a request of the page.
  expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([])
})
