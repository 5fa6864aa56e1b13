/**
 * Money in the console, in a real Chromium, with a stand-in for Stripe: an owner buys credit, and returns to
 * the console.
 */
import pg from 'pg'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from '../system/browser.js'
import {
  axeFindings,
  becomeOperator,
  consolePassword,
  dialogFindings,
  loaded,
  newPage,
} from '../system/console-pages.js'
import { databaseUrl } from '../system/database.js'
import { startStripePages, type StripePages } from '../system/stripe.js'
import { type System } from '../system/system.js'

const run = Date.now().toString(36)
const wide = { viewport: { width: 1440, height: 900 } }

let stripe: StripePages
const system = inject('system')
let browser: Browser
let owner: Page
const complaints: string[] = []

beforeAll(async () => {
  stripe = await startStripePages(inject('standIns').stripe)
  browser = await openBrowser()
  owner = await newPage(browser, wide, complaints)
}, 300_000)
afterAll(async () => {
  await browser.close()
  stripe.close()
})

const creditOf = ({ up }: System, page: Page): string =>
  `${new URL(page.url()).origin}/console/projects/${up.project.id}/credit`

it('an owner buys credit, comes back, and sees it once the payment is confirmed', async () => {
  await becomeOperator(owner, system, { name: 'Olga', email: `olga-${run}@example.com` })
  await owner.goto(creditOf(system, owner))
  // A sign-in that is older than a quarter of an hour must first be confirmed.
  const db = new pg.Client({ connectionString: await databaseUrl(system) })
  await db.connect()
  await db.query(`update user_sessions set created_at = created_at - interval '1 hour'`)
  await db.end()
  const buy = owner.getByRole('button', { name: 'Buy credit' })
  await buy.click()
  expect(await dialogFindings(owner, buy)).toEqual([])
  await buy.click()
  const dialog = owner.getByRole('dialog', { name: 'Buy credit' })
  await dialog.getByRole('button', { name: '$50', exact: true }).click()
  await dialog.getByRole('button', { name: 'Continue to Stripe' }).click()
  const confirm = owner.getByRole('dialog', { name: 'Confirm that it is you' })
  await confirm.getByLabel('Password').fill(consolePassword)
  await confirm.getByRole('button', { name: 'Confirm' }).click()

  await owner.getByRole('heading', { name: 'Pay 5000 cents' }).waitFor()
  await owner.getByRole('link', { name: 'Pay' }).click()
  await owner.getByText('Waiting for Stripe to confirm the payment').waitFor()
  await loaded(owner)
  expect(await axeFindings(owner)).toEqual([])
  expect(await stripe.confirm(system.up.base_url)).toBe(200)
  await owner.getByText('$50.00 of credit was added').waitFor()
  const text = await owner.getByRole('status').filter({ hasText: 'was added' }).innerText()
  const balance = /The balance is now (\$[\d,.]+)\./.exec(text)?.[1] ?? ''
  const row = owner.getByRole('list', { name: 'Ledger' }).getByRole('listitem').first()
  await row.getByText('Payment').waitFor()
  expect(await row.innerText()).toContain('$50.00')
  await owner.getByText(`of ${balance}`).waitFor()
  await owner.getByRole('button', { name: 'Close' }).click()
  expect(owner.url()).toBe(creditOf(system, owner))

  const receipt = row.getByRole('button', { name: 'Receipt' })
  await receipt.click()
  const link = owner.getByRole('dialog').getByRole('link', { name: 'Open at Stripe' })
  expect(await link.getAttribute('href')).toMatch(/^https:\/\/pay\.stripe\.com\/pi_chk_/)
  expect(await dialogFindings(owner, receipt)).toEqual([])

  const saved = owner.waitForEvent('download')
  await owner.getByRole('button', { name: 'Shown entries as CSV' }).click()
  expect((await saved).suggestedFilename()).toBe('ledger.csv')
})

it('a payer who leaves the payment page has paid nothing', async () => {
  await owner.getByRole('button', { name: 'Buy credit' }).click()
  await owner.getByRole('button', { name: 'Continue to Stripe' }).click()
  await owner.getByRole('link', { name: 'Cancel' }).click()
  await owner.getByText('Nothing was paid').waitFor()
  // The browser's back button shows the earlier page, ready for another attempt.
  await owner.goBack()
  await owner.getByRole('heading', { name: 'Pay 1000 cents' }).waitFor()
  await owner.goBack()
  await owner.getByRole('heading', { level: 1, name: 'Credit' }).waitFor()
  await owner.keyboard.press('Escape')
  await owner.getByRole('button', { name: 'Buy credit' }).click()
  expect(await owner.getByRole('button', { name: 'Continue to Stripe' }).isEnabled()).toBe(true)
})

it('had no error, and violated no policy', () => {
  // The first request to buy was refused until the sign-in was confirmed.
  expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([])
})
