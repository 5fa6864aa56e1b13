/**
 * Texts of tenants, their phones and files in the console, in a real Chromium of 375 px: the longest that are accepted, with
 * markup, script and marks that turn the direction. Nothing runs, and no page scrolls sideways.
 */
import { makeApk, newSigner } from '@phonerack/virtual-phone/testing/apk'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import { addToLibrary, becomeOperator, enterOperators, loaded, newPage } from './system/console-pages.js'
import { errorOf } from './system/api.js'
import { type System } from './system/system.js'
import { newKey, newTenant, readyPhone, type Tenant } from './system/tenant.js'

const run = Date.now().toString(36)
const email = `hanna-${run}@example.com`
const narrow = { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true }

/** No slash: it is the name of a file too. */
const markup = '<img src=x onerror=window.ran=1><svg onload=window.ran=1><script>window.ran=1'
const hostile = (length: number): string => `\u202E${markup}\u2067${'W'.repeat(length)}`.slice(0, length)
const longest = 10_000
const name = hostile(80)
const values = [hostile(256), 'W'.repeat(256), 'ك'.repeat(256), '\u0301'.repeat(256)]
/** At most 255 bytes: file systems do not take more. */
const fileName = hostile(200)

let system: System
let browser: Browser
let tenant: Tenant
let phone = ''
let page: Page
let origin = ''
const complaints: string[] = []

beforeAll(async () => {
  system = inject('system')
  browser = await openBrowser()
  tenant = await newTenant(system)
  const wide = await newPage(browser, { viewport: { width: 1440, height: 900 } }, complaints)
  await becomeOperator(wide, system, { name: hostile(80), email })
  origin = new URL(wide.url()).origin
  const storageState = await wide.context().storageState()
  await wide.context().close()
  page = await newPage(browser, { ...narrow, storageState }, complaints)

  const metadata = Object.fromEntries(values.map((value, index) => [`${'k'.repeat(39)}${index}`, value]))
  phone = (await readyPhone(tenant.admin, { name, metadata })).id
  await newKey(system, tenant.projectId, 'agent', { name })
  const path = `/sdcard/Download/${fileName}`
  const put = await tenant.admin.put(
    `/v1/phones/${phone}/files?path=${encodeURIComponent(path)}`,
    Buffer.from('x'),
    { headers: { 'content-type': 'application/octet-stream' } },
  )
  expect(put.status).toBeLessThan(300)
}, 300_000)
afterAll(async () => {
  await tenant.admin.delete(`/v1/phones/${phone}`)
  await browser.close()
})

/** Nothing of the texts became markup, and the page is not wider than the screen. */
async function expectHarmless(where: string): Promise<void> {
  const found = await page.evaluate(`({
    ran: window.ran === 1,
    markup: document.querySelectorAll('[onerror], [onload], img[src="x"], main script').length,
    tooWide: Math.max(0, document.documentElement.scrollWidth - window.innerWidth),
  })`)
  expect([where, found]).toEqual([where, { ran: false, markup: 0, tooWide: 0 }])
}

async function open(path: string): Promise<void> {
  await page.goto(`${origin}/console/projects/${tenant.projectId}/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await loaded(page)
}

it('are refused with 10,000 characters', async () => {
  const text = hostile(longest)
  const patch = (body: object) => tenant.admin.patch(`/v1/phones/${phone}`, body)
  for (const answer of [await patch({ name: text }), await patch({ metadata: { note: text } })])
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'validation_failed'])
  const query = encodeURIComponent(`/sdcard/Download/${text}`)
  const put = await tenant.admin.put(`/v1/phones/${phone}/files?path=${query}`, Buffer.from('x'), {
    headers: { 'content-type': 'application/octet-stream' },
  })
  expect(put.status).toBe(400)
})

it('are harmless in lists and on a wall of thumbnails', async () => {
  await open('phones')
  const row = page.getByRole('list', { name: 'Phones', exact: true }).getByRole('link', { name }).first()
  await row.waitFor()
  await expectHarmless('phones')
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('alertdialog').waitFor()
  await expectHarmless('the question of a deletion')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await open('phones?view=wall')
  await page.getByRole('img', { name: `Screen of ${name}` }).waitFor()
  await expectHarmless('wall')
  await open('keys')
  await page.getByRole('list', { name: 'Active keys' }).getByText(name).waitFor()
  await page.getByRole('button', { name: `Revoke ${name}` }).click()
  await page.getByRole('alertdialog').waitFor()
  await expectHarmless('keys')
  await page.getByRole('button', { name: 'Cancel' }).click()
  for (const other of ['activity', 'usage', 'credit', 'members']) {
    await open(other)
    await expectHarmless(other)
  }
})

it('are harmless on the page of a phone', async () => {
  await open(`phones/${phone}`)
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByText(values[1] ?? '').waitFor()
  await expectHarmless('phone')
  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('list', { name: 'Files' }).getByText(fileName).waitFor()
  await expectHarmless('files')
  await page.getByRole('button', { name: `Delete ${fileName}` }).click()
  await page.getByRole('alertdialog').waitFor()
  await expectHarmless('the question about a file')
  await page.getByRole('button', { name: 'Cancel' }).click()
})

it('are harmless as the label of an app', async () => {
  const app = `org.example.hostile.r${run}`
  const label = hostile(longest)
  const apk = makeApk(
    { package: app, versionCode: 1, versionName: hostile(longest), label },
    await newSigner('hostile'),
  )
  await page.goto(`${origin}/console/account`)
  const desk = await enterOperators(page, email)
  await page.goto(`${desk}/console/operator/library`)
  await addToLibrary(page, [apk], app)
  await expectHarmless('library')
  const row = page.getByRole('list', { name: 'Apps' }).locator('> li').filter({ hasText: app })
  await row.getByRole('button', { name: /^Remove / }).click()
  await page.getByRole('alertdialog').waitFor()
  await expectHarmless('the question about an app')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove app' }).click()
  await row.waitFor({ state: 'detached' })
})

it('caused no error, and violated no policy', () => {
  expect(complaints.filter((text) => !/status of (400|401|403|404|409)/.test(text))).toEqual([])
})
