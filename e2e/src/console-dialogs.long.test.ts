/** Dialogs and the palette of the console, by keyboard only, and checked by axe in light and dark. */
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import { becomeOperator, dialogFindings, loaded, newPage } from './system/console-pages.js'
import { type System } from './system/system.js'
import { newTenant, readyPhone } from './system/tenant.js'

const run = Date.now().toString(36)
const phoneName = `dialog phone ${run}`
const complaints: string[] = []

let system: System
let browser: Browser
let page: Page
/** The path of a project with a phone, a key and a webhook. */
let project = ''

beforeAll(async () => {
  system = inject('system')
  browser = await openBrowser()
  page = await newPage(browser, { viewport: { width: 1440, height: 900 } }, complaints)
  await becomeOperator(page, system, { name: 'Dora', email: `dora-${run}@example.com` })
  const tenant = await newTenant(system)
  await readyPhone(tenant.admin, { name: phoneName })
  await tenant.admin.post('/v1/webhooks', { url: 'https://agents.example.com/hook' })
  project = `/console/projects/${tenant.projectId}`
}, 200_000)
afterAll(async () => {
  await browser.close()
})

async function openPage(path: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}${project}/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await loaded(page)
}

const button = (name: string | RegExp) => page.getByRole('button', { name }).first()

it.each([
  ['phones', [['New phone'], [`Actions for ${phoneName}`, 'Delete…']]],
  ['keys', [['New key'], [/^Revoke /]]],
  [
    'webhooks',
    [
      ['New webhook'],
      [/^Actions for https/, 'Edit…'],
      [/^Actions for https/, 'Rotate the secret…'],
      [/^Actions for https/, 'Delete…'],
    ],
  ],
  ['members', [['Invite'], [/Switch project/, 'New project']]],
] as const)(
  'dialogs of %s are accessible, keep the focus, and give it back',
  async (path, dialogs) => {
    await openPage(path)
    const findings: string[] = []
    for (const [opener, item] of dialogs) {
      await button(opener).focus()
      await page.keyboard.press('Enter')
      if (item !== undefined) {
        await page.getByRole('menuitem', { name: item }).focus()
        await page.keyboard.press('Enter')
      }
      findings.push(...(await dialogFindings(page, button(opener))))
    }
    expect(findings).toEqual([])
  },
  120_000,
)

it('the palette reaches each page', async () => {
  await openPage('phones')
  for (const [typed, heading] of [
    ...['API keys', 'Activity', 'Events', 'Webhooks', 'Usage', 'Credit', 'Members', 'Phones'].map(
      (name) => [name, name] as const,
    ),
    ['your projects', 'Your projects'],
    ['connect a terminal', 'Connect a terminal'],
    ['your account', 'Your account'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search commands' }).fill(typed)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search commands' }).fill('new project')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New project' }).waitFor()
  await page.keyboard.press('Escape')
}, 120_000)

it('had no error, and violated no policy', () => {
  // The link of the first operator may have ended while it was opened.
  expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([])
})
