/** The page of a phone in the pictures of the console: its live view, and each of its tabs. */
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { type Page } from 'playwright-core'
import { loaded } from '@phonerack/e2e/system/console-pages.js'
import { helpName, phoneName, trialName } from './console-data.js'
import { type Scene } from './console-scenes.js'

const openPhone = async (page: Page, name = phoneName): Promise<void> => {
  await page.getByRole('link', { name }).click()
  await page.frameLocator('iframe').locator('body[data-state="live"]').waitFor({ timeout: 60_000 })
}

/** Opens a tab, and moves it below the header. */
async function openTab(page: Page, name: string): Promise<void> {
  await openPhone(page)
  const tab = page.getByRole('tab', { name })
  await tab.click()
  await loaded(page)
  const box = await tab.boundingBox()
  await page.mouse.wheel(0, (box?.y ?? 0) - 80)
  // Waits until the live view is drawn.
  await page.waitForTimeout(1500)
}

const installsUrl = '**/installs'

/** Signs the app of all pictures, since the app could not be updated with another key. */
const signer = newSigner('the pictures')

export const phoneScenes: readonly Scene[] = [
  {
    name: 'phone',
    path: 'phones',
    async then(page) {
      await openPhone(page)
      await page.getByRole('list', { name: 'Steps' }).waitFor()
      await loaded(page)
      // Waits until the first frame is drawn.
      await page.waitForTimeout(1500)
    },
  },
  {
    name: 'phone-help',
    path: 'phones',
    async then(page) {
      await openPhone(page, helpName)
      await page.getByText('An agent asks for help').waitFor()
      await loaded(page)
      await page.waitForTimeout(1500)
    },
  },
  {
    name: 'requests',
    path: 'requests',
    async then(page) {
      await page.getByRole('link', { name: helpName }).waitFor()
      await loaded(page)
    },
  },
  {
    name: 'phone-taken',
    path: 'phones',
    async then(page) {
      await openPhone(page)
      await page.getByRole('button', { name: 'Take over' }).click()
      await page.getByText('You control the phone.').waitFor()
      await page.getByRole('button', { name: 'Hand back…' }).click()
      await page.getByLabel('Note for the agent').fill('I have closed the pop-up.')
      await page.waitForTimeout(1500)
    },
    async after(page) {
      await page.getByRole('dialog').getByRole('button', { name: 'Hand back' }).click()
      await page.getByText('Agents control the phone.').waitFor()
    },
  },
  {
    name: 'phone-steps',
    path: 'phones',
    async then(page) {
      await openTab(page, 'Steps')
      const steps = page.getByRole('list', { name: 'Steps' })
      await steps.getByRole('button', { name: 'Screen as text' }).nth(1).click()
      await steps.locator('pre').waitFor()
      await steps.locator('img').first().waitFor()
      await page.waitForTimeout(1500)
    },
  },
  {
    name: 'phone-apps',
    path: 'phones',
    async before(page) {
      let isFirst = true
      // The list does not change before the app is dropped, so its install is in progress.
      await page.route(installsUrl, async (route) => {
        if (route.request().method() !== 'GET' || isFirst) await route.continue()
        isFirst = false
      })
    },
    async then(page) {
      await openTab(page, 'Apps')
      const apk = makeApk(
        { package: 'org.example.shop', label: 'Example Shop', versionCode: 42 },
        await signer,
      )
      await page
        .getByLabel('Choose an .apk…')
        .setInputFiles({ name: 'example-shop-4.2.apk', mimeType: 'application/octet-stream', buffer: apk })
      await page.getByRole('list', { name: 'Transfers' }).getByText('installing').waitFor({ timeout: 60_000 })
    },
    after: (page) => page.unroute(installsUrl),
  },
  {
    name: 'phone-recordings',
    path: 'phones',
    async then(page) {
      await openTab(page, 'Recordings')
      await page.getByRole('button', { name: /^Play/ }).first().click({ timeout: 60_000 })
      await page.waitForTimeout(2000)
    },
  },
  {
    name: 'phone-screen',
    path: 'phones',
    async then(page) {
      await openTab(page, 'Screen')
      const elements = page.getByRole('list', { name: 'Elements' }).getByRole('button')
      await elements.last().click()
    },
  },
  { name: 'phone-details', path: 'phones', then: (page) => openTab(page, 'Details') },
  { name: 'phone-files', path: 'phones', then: (page) => openTab(page, 'Files') },
  { name: 'phone-clipboard', path: 'phones', then: (page) => openTab(page, 'Clipboard') },
  { name: 'phone-log', path: 'phones', then: (page) => openTab(page, 'Log') },
  {
    name: 'phone-location',
    path: 'phones',
    async then(page) {
      await openTab(page, 'Location')
      await page.getByRole('img', { name: /^The world/ }).waitFor()
    },
  },
  {
    name: 'phone-parked',
    path: 'phones',
    async then(page) {
      await page.getByRole('link', { name: trialName }).click()
      await page.getByText('The phone is parked').waitFor()
      await loaded(page)
    },
  },
]
