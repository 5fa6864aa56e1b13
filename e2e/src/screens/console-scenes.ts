/** The pages in the pictures of the console, and what is opened on each. */
import { type Page } from 'playwright-core'
import { loaded } from '../system/console-pages.js'

export interface Scene {
  name: string
  /** Path below the project, or below the console. */
  path: string
  /** Left out: the page itself. */
  then?: (page: Page) => Promise<void>
  /** Ends what the picture shows. */
  after?: (page: Page) => Promise<void>
}

/** The phone whose page is shown. */
export const phoneName = 'checkout tests'

/** Each picture of a new key adds one. */
const keyNames = ['release check', 'load test', 'staging', 'bug hunt']

export const scenes: readonly Scene[] = [
  { name: 'phones', path: 'phones' },
  {
    name: 'phones-wall',
    path: 'phones?view=wall',
    async then(page) {
      await page.getByRole('list', { name: 'Phones', exact: true }).getByText('ready').first().waitFor()
      // For the first pictures.
      await page.waitForTimeout(3000)
    },
  },
  {
    name: 'phone',
    path: 'phones',
    async then(page) {
      await page.getByRole('link', { name: phoneName }).click()
      await page.frameLocator('iframe').locator('body[data-state="live"]').waitFor({ timeout: 60_000 })
      await page.getByRole('list', { name: 'Steps' }).waitFor()
      await loaded(page)
      // Until the first frame is drawn.
      await page.waitForTimeout(1500)
    },
  },
  {
    name: 'phone-steps',
    path: 'phones',
    async then(page) {
      await page.getByRole('link', { name: phoneName }).click()
      const steps = page.getByRole('list', { name: 'Steps' })
      await steps.waitFor()
      await steps.getByRole('button', { name: 'Screen as text' }).nth(1).click()
      await steps.locator('pre').waitFor()
      await steps.locator('img').first().waitFor()
      await steps.locator('pre').scrollIntoViewIfNeeded()
      await page.waitForTimeout(1500)
    },
  },
  {
    name: 'phone-taken',
    path: 'phones',
    async then(page) {
      await page.getByRole('link', { name: phoneName }).click()
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
    name: 'phone-screen',
    path: 'phones',
    async then(page) {
      await page.getByRole('link', { name: phoneName }).click()
      await page.getByRole('tab', { name: 'Screen' }).click()
      const elements = page.getByRole('list', { name: 'Elements' }).getByRole('button')
      await elements.last().click()
      await page.getByRole('tab', { name: 'Screen' }).scrollIntoViewIfNeeded()
      await page.getByRole('region', { name: /^Element/ }).scrollIntoViewIfNeeded()
      await page.waitForTimeout(1500)
    },
  },
  {
    name: 'phone-delete',
    path: 'phones',
    async then(page) {
      await page.getByRole('button', { name: `Actions for ${phoneName}` }).click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
  { name: 'keys', path: 'keys' },
  {
    name: 'key-created',
    path: 'keys',
    async then(page) {
      await page.getByRole('button', { name: 'New key' }).click()
      await page
        .getByRole('dialog')
        .getByLabel('Name')
        .fill(keyNames.shift() ?? 'one more')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog', { name: 'Copy your key now' }).waitFor()
    },
  },
  { name: 'activity', path: 'activity' },
  { name: 'events', path: 'events' },
  { name: 'webhooks', path: 'webhooks' },
  {
    name: 'webhook',
    path: 'webhooks',
    async then(page) {
      await page.getByRole('link', { name: /127\.0\.0\.1/ }).click()
      await page.getByRole('list', { name: 'Deliveries' }).waitFor()
    },
  },
  {
    name: 'webhook-new',
    path: 'webhooks',
    async then(page) {
      await page.getByRole('button', { name: 'New webhook' }).click()
      const dialog = page.getByRole('dialog', { name: 'New webhook' })
      await dialog.getByLabel('Address').fill('https://agents.example.com/phonerack')
      await dialog.getByLabel('Only certain types').check()
      await dialog.getByLabel('phone.ready').check()
    },
  },
  { name: 'usage', path: 'usage' },
  {
    name: 'usage-limits',
    path: 'usage',
    async then(page) {
      await page.getByRole('list', { name: 'Limits' }).scrollIntoViewIfNeeded()
    },
  },
  { name: 'credit', path: 'credit' },
  {
    name: 'credit-buy',
    path: 'credit',
    async then(page) {
      await page.getByRole('button', { name: 'Buy credit' }).click()
      await page.getByRole('dialog').getByRole('button', { name: '$50', exact: true }).click()
      // Until the colours have changed.
      await page.waitForTimeout(500)
    },
  },
  { name: 'projects', path: '../../projects' },
  { name: 'all-phones', path: '../../phones' },
  {
    name: 'project-switcher',
    path: 'phones',
    async then(page) {
      const menu = page.getByRole('button', { name: 'Open the menu' })
      if (await menu.isVisible()) await menu.click()
      await page.getByRole('button', { name: /Switch project/ }).click()
      await page.getByRole('menuitem', { name: 'Phones of all projects' }).waitFor()
    },
  },
  { name: 'members', path: 'members' },
  { name: 'connect', path: '../../connect' },
  {
    name: 'palette',
    path: 'phones',
    async then(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
    },
  },
  { name: 'account', path: '../../account' },
]

/** Below `/console/operator` of the operator's listener. */
export const operatorScenes: readonly Scene[] = [
  { name: 'hosts', path: 'hosts' },
  {
    name: 'host-drain',
    path: 'hosts',
    async then(page) {
      await page.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: 'Drain…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'devices',
    path: 'devices',
    async then(page) {
      await page
        .getByText(/^Details; last wipe/)
        .first()
        .click()
      await page.getByText('Evidence of the last wipe').first().waitFor()
    },
  },
  {
    name: 'host-join',
    path: 'hosts',
    async then(page) {
      await page.getByRole('button', { name: 'Add host' }).click()
      await page.getByRole('button', { name: 'Create command' }).click()
      await page.getByRole('dialog').locator('pre').waitFor()
    },
  },
  {
    name: 'device-menu',
    path: 'devices',
    async then(page) {
      const device = page.getByRole('listitem').filter({ hasText: 'in maintenance' })
      await device.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: 'End maintenance' }).waitFor()
    },
  },
  { name: 'all-projects', path: 'projects' },
  { name: 'library', path: 'library' },
  { name: 'audit', path: 'audit' },
  { name: 'system', path: 'system' },
]
