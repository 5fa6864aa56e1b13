/**
 * Webhooks and events in the console, in a real Chromium, with a receiver that verifies signatures, and fails
 * when the test requests it.
 */
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { errorOf } from './system/api.js'
import { openBrowser } from './system/browser.js'
import { axeFindings, becomeOperator, loaded, newPage } from './system/console-pages.js'
import { type System } from './system/system.js'
import { newTenant, untilFree, type Tenant } from './system/tenant.js'
import { startWebhookReceiver, type WebhookReceiver } from './system/webhook-receiver.js'

const run = Date.now().toString(36)
const complaints: string[] = []

let system: System
let tenant: Tenant
let browser: Browser
let receiver: WebhookReceiver
let owner: Page
/** The URL of the project's pages. */
let base = ''

beforeAll(async () => {
  system = inject('system')
  tenant = await newTenant(system)
  receiver = await startWebhookReceiver()
  browser = await openBrowser()
  owner = await newPage(browser, { viewport: { width: 1440, height: 900 } }, complaints)
  await becomeOperator(owner, system, { name: 'Wanda', email: `wanda-${run}@example.com` })
  base = `${new URL(owner.url()).origin}/console/projects/${tenant.projectId}`
}, 200_000)
afterAll(async () => {
  await browser.close()
  receiver.close()
})

const opened = async (name: string): Promise<void> => {
  await owner.goto(`${base}/${name}`)
  await owner.getByRole('heading', { level: 1 }).waitFor()
  await loaded(owner)
}
const delivery = (type: string) =>
  owner.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').filter({ hasText: type })

let phone = ''

it('a webhook is created, shows its secret once, and gets the change of a phone, which the events show live', async () => {
  await opened('webhooks')
  await owner.getByRole('button', { name: 'New webhook' }).click()
  const form = owner.getByRole('dialog', { name: 'New webhook' })
  await form.getByLabel('Address').fill(receiver.url)
  await form.getByLabel('Only certain types').check()
  await form.getByLabel('phone.created').check()
  await form.getByLabel('phone.deleted').check()
  await form.getByRole('button', { name: 'Create webhook' }).click()
  const dialog = owner.getByRole('dialog', { name: 'Copy the secret now' })
  receiver.secret = await dialog.locator('code').first().innerText()
  expect(receiver.secret).toMatch(/^whsec_/)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await owner.getByRole('list', { name: 'Webhooks' }).getByText('phone.created, phone.deleted').waitFor()
  expect(await owner.content()).not.toContain(receiver.secret)

  await opened('events')
  await owner.getByText('No events yet').waitFor()
  const made = await untilFree(
    () => tenant.admin.post('/v1/phones', { name: 'watched' }),
    (answer) => answer.status >= 300 && errorOf(answer).code === 'capacity_unavailable',
    150_000,
  )
  phone = z.object({ id: z.string() }).parse(made.body).id
  const events = owner.getByRole('list', { name: 'Events' })
  await events.getByText('phone.created').waitFor()
  await owner.getByLabel('Type').selectOption('phone.created')
  await owner.waitForURL(/type=phone\.created/)
  await events.locator(`a[href$="/${phone}"]`).waitFor()
  expect(await events.getByRole('listitem').count()).toBe(1)
  const saved = owner.waitForEvent('download')
  await owner.getByRole('button', { name: 'Export' }).click()
  await owner.getByRole('menuitem', { name: 'The shown events as JSON' }).click()
  expect((await saved).suggestedFilename()).toBe('events.json')
})

it('a delivery that fails shows the response as text, and is sent again', async () => {
  await opened('webhooks')
  await owner.getByRole('link', { name: receiver.url }).click()
  await delivery('phone.created').getByText('succeeded').waitFor()
  expect([receiver.events.size, receiver.refused]).toEqual([1, 0])

  receiver.failure = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(3000)}`
  await tenant.admin.delete(`/v1/phones/${phone}`)
  const failed = delivery('phone.deleted')
  // The next attempt comes after a minute.
  await failed.getByText('2 attempts').waitFor()
  await failed.getByText('Response 500').click()
  await failed.locator('pre').getByText('<img src=x onerror=alert(1)>').waitFor()
  expect(await owner.locator('img[src="x"]').count()).toBe(0)
  expect(await axeFindings(owner)).toEqual([])
  receiver.failure = null
  await failed.getByRole('button', { name: /^Send again: phone\.deleted/ }).click()
  await failed.getByText('succeeded').waitFor()
})

it('is in the activity, which its filters limit, and is deleted after a question that names it', async () => {
  await opened('activity')
  const entries = owner.getByRole('list', { name: 'Activity' })
  await entries.getByText('Create a webhook', { exact: true }).waitFor()
  await owner.getByLabel('Only refused').check()
  await owner.waitForURL(/refused=true/)
  await owner.getByText('Create a webhook', { exact: true }).waitFor({ state: 'detached' })

  await opened('webhooks')
  await owner.getByRole('button', { name: `Actions for ${receiver.url}` }).click()
  await owner.getByRole('menuitem', { name: 'Delete…' }).click()
  const question = owner.getByRole('alertdialog')
  await question.getByRole('heading').getByText(receiver.url).waitFor()
  await question.getByRole('button', { name: 'Delete webhook' }).click()
  await owner.getByText('No webhooks').waitFor()
})

it('had no error, and violated no policy', () => {
  expect(complaints).toEqual([])
})
