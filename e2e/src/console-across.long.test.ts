/**
 * The phones of all projects of a member, in a real Chromium: live by one stream, and without projects from
 * which the member was removed.
 */
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { Api } from './system/api.js'
import { openBrowser } from './system/browser.js'
import { acceptLink, axeFindings, becomeOperator, loaded, newPage } from './system/console-pages.js'
import { type System } from './system/system.js'
import { newKey, operatorOf, readyPhone } from './system/tenant.js'

const run = Date.now().toString(36)
const wide = { viewport: { width: 1440, height: 900 } }
const narrow = { viewport: { width: 375, height: 812 }, colorScheme: 'dark', hasTouch: true, isMobile: true }
const email = `mara-${run}@example.com`
/** A character for right-to-left text, and markup. */
const labName = `\u202E<img src=x onerror=window.ran=1>${'W'.repeat(30)}`

let system: System
let browser: Browser
let owner: Page
let member: Page
const complaints: string[] = []
const apis: Api[] = []
const phones: string[] = []
const projects: string[] = []

const answered = z.object({
  id: z.string().optional(),
  url: z.string().optional(),
  data: z.array(z.object({ user_id: z.string(), email: z.string() })).optional(),
})
type Answered = z.infer<typeof answered>

/** Sends a request to `/console/api` as the person of the page. Throws if the request is refused. */
const ask = async (page: Page, method: string, path: string, body?: object): Promise<Answered> =>
  answered.parse(
    await page.evaluate(
      async ([sent, at, text]) => {
        const session = (await (await fetch('/console/api/session')).json()) as { csrf_token: string }
        const headers = { 'content-type': 'application/json', 'x-csrf-token': session.csrf_token }
        const answer = await fetch(`/console/api${at}`, { method: sent, headers, body: text })
        if (!answer.ok) throw new Error(await answer.text())
        const content: unknown = await answer.json()
        return content
      },
      [method, path, body === undefined ? null : JSON.stringify(body)] as const,
    ),
  )

const of = (at: number): string => `/projects/${projects[at]}`

async function enterLab(): Promise<void> {
  const { url = '' } = await ask(owner, 'POST', `${of(1)}/invitations`, { email, role: 'viewer' })
  await ask(member, 'POST', '/invitations/accept', { token: url.split('#')[1] })
}

async function leaveLab(): Promise<void> {
  const { data = [] } = await ask(owner, 'GET', `${of(1)}/members`)
  const { user_id: user } = data.find((each) => each.email === email) ?? { user_id: '' }
  await ask(owner, 'DELETE', `${of(1)}/members/${user}`, {})
}

beforeAll(async () => {
  system = inject('system')
  browser = await openBrowser()
  owner = await newPage(browser, wide, complaints)
  await becomeOperator(owner, system, { name: 'Otis', email: `otis-${run}@example.com` })
  for (const name of [`Shop ${run}`, labName]) {
    const { id = '' } = await ask(owner, 'POST', '/projects', { name })
    await operatorOf(system).patch(`/operator/v1/projects/${id}`, { credit_usd: '100.000000' })
    const api = new Api(system.up.base_url, await newKey(system, id, 'admin'))
    projects.push(id)
    apis.push(api)
    phones.push((await readyPhone(api, { name: `phone of ${name}`.slice(0, 60) })).id)
  }
  const { url = '' } = await ask(owner, 'POST', `${of(0)}/invitations`, { email, role: 'member' })
  member = await newPage(browser, wide, complaints)
  await acceptLink(member, url, { name: 'Mara' })
  await enterLab()
}, 300_000)
afterAll(async () => {
  for (const [index, api] of apis.entries()) await api.delete(`/v1/phones/${phones[index]}`)
  await browser.close()
})

const rows = (page: Page) => page.getByRole('list', { name: 'Phones', exact: true }).locator('> li')

it('lists the phones of all projects, live by one stream, and none of a project that the member lost', async () => {
  const streams: string[] = []
  member.on('request', (request) => {
    if (request.url().endsWith('/changes')) streams.push(new URL(request.url()).pathname)
  })
  await member.keyboard.press('Control+k')
  await member.getByRole('combobox', { name: 'Search commands' }).waitFor()
  await member.keyboard.type('phones of all')
  await member.keyboard.press('Enter')
  await member.getByRole('heading', { level: 1, name: 'Phones of all projects' }).waitFor()
  const shopRow = rows(member)
    .filter({ hasText: `Shop ${run}` })
    .filter({ hasNotText: '<img' })
  const labRow = rows(member).filter({ hasText: '<img' })
  await shopRow.getByText('ready').waitFor()
  await labRow.getByText('ready').waitFor()
  expect(await labRow.getByRole('link', { name: labName, exact: true }).getAttribute('href')).toBe(
    `/console${of(1)}/phones`,
  )
  // A member may change the phones of one project, and as a viewer none of the other project.
  expect(await shopRow.getByRole('button', { name: /^Actions/ }).count()).toBe(1)
  expect(await labRow.getByRole('button', { name: /^Actions/ }).count()).toBe(0)
  expect(await axeFindings(member)).toEqual([])

  await member.getByRole('combobox', { name: 'Project' }).selectOption(labName)
  await shopRow.waitFor({ state: 'detached' })
  expect(new URL(member.url()).searchParams.get('project')).toBe(projects[1])
  await member.getByRole('combobox', { name: 'Project' }).selectOption('all')
  await member.getByRole('combobox', { name: 'State' }).selectOption('parked')
  await member.getByText('No phone matches').waitFor()
  await member.getByRole('combobox', { name: 'State' }).selectOption('all in use')
  await shopRow.waitFor()

  await leaveLab()
  expect((await apis[0]?.post(`/v1/phones/${phones[0]}/park`, {}))?.status).toBeLessThan(300)
  await shopRow.getByText('parked').waitFor()
  expect(await labRow.count()).toBe(0)
  // The subscriptions of the earlier page end with the page.
  const [own, ...later] = streams.slice(streams.indexOf('/console/api/changes'))
  expect(own).toBe('/console/api/changes')
  expect(later.filter((path) => path !== own)).toEqual([])
})

it('is reached from the menu of projects on a narrow screen, and shows hostile names as text', async () => {
  await enterLab()
  const storageState = await member.context().storageState()
  const page = await newPage(browser, { ...narrow, storageState }, complaints)
  await page.goto(member.url().replace(/\/console\/.*/, '/console/account'))
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Switch project/ })
    .click()
  await page.getByRole('menuitem', { name: 'Phones of all projects' }).click()
  await page.getByRole('heading', { level: 1, name: 'Phones of all projects' }).waitFor()
  await rows(page).filter({ hasText: '<img' }).waitFor()
  await loaded(page)
  expect(await axeFindings(page)).toEqual([])
  const found = await page.evaluate(`[window.ran === 1, document.querySelectorAll('img[src="x"]').length,
    Math.max(0, document.documentElement.scrollWidth - window.innerWidth)]`)
  expect(found).toEqual([false, 0, 0])
  await page.getByRole('link', { name: `Shop ${run}`, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Phones', exact: true }).waitFor()

  // The limits of a project are below its usage.
  await page.goto(`${page.url().replace(/\/phones.*/, '')}/usage`)
  const limits = page.getByRole('list', { name: 'Limits' })
  await limits.getByText('of $1,000.00').waitFor()
  await limits.getByText('1 of 100').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.context().close()
})

it('had no error, and violated no policy', () => {
  expect(complaints).toEqual([])
})
