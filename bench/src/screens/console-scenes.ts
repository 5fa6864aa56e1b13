/** The pages of a project in the pictures of the console, and the parts that are open on each page. */
import { type Page } from 'playwright-core'
import { type Furnished } from './console-data.js'

export const looks = ['375-light', '375-dark', '1440-light', '1440-dark'] as const
export type Look = (typeof looks)[number]

export interface Scene {
  name: string
  /** A path below the project, or a URL. */
  path: string
  /** Runs before the page is opened. */
  before?: (page: Page) => Promise<unknown>
  /** Opens a part of the page. Omitted: the page itself is drawn. */
  then?: (page: Page) => Promise<unknown>
  /** Ends the state that the picture shows. */
  after?: (page: Page) => Promise<unknown>
  /** Whether the picture shows the page while it loads. */
  isLoading?: true
  /** The variants that are drawn. Omitted: all. States that look alike on each page are drawn twice. */
  only?: readonly Look[]
}

/** The names of new keys, of which each picture uses one. */
const keyNames = ['release check', 'load test', 'staging', 'bug hunt']

const phoneMenu = async (page: Page, item: string): Promise<void> => {
  await page.getByRole('button', { name: 'Actions for checkout tests' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

export const scenes: readonly Scene[] = [
  { name: 'phones', path: 'phones' },
  {
    name: 'phones-wall',
    path: 'phones?view=wall',
    async then(page) {
      await page.getByRole('list', { name: 'Phones', exact: true }).getByText('ready').first().waitFor()
      // The name of the first pictures' key.
      await page.waitForTimeout(3000)
    },
  },
  {
    name: 'phone-delete',
    only: ['375-light', '1440-dark'],
    path: 'phones',
    async then(page) {
      await phoneMenu(page, 'Delete…')
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
    only: ['375-dark', '1440-light'],
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
      // Waits until the colours have changed.
      await page.waitForTimeout(500)
    },
  },
  { name: 'projects', path: '../../projects' },
  { name: 'all-phones', path: '../../phones' },
  {
    name: 'project-switcher',
    only: ['375-dark', '1440-light'],
    path: 'phones',
    async then(page) {
      const menu = page.getByRole('button', { name: 'Open the menu' })
      if (await menu.isVisible()) await menu.click()
      await page.getByRole('button', { name: /Switch project/ }).click()
      await page.getByRole('menuitem', { name: 'Phones of all projects' }).waitFor()
    },
  },
  { name: 'members', path: 'members' },
  {
    name: 'member-invite',
    path: 'members',
    async then(page) {
      await page.getByRole('button', { name: 'Invite' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('E-mail address').fill('vera@example.com')
      await dialog.getByLabel('Role').selectOption('viewer')
    },
  },
  {
    name: 'menu',
    path: 'phones',
    async then(page) {
      const narrow = page.getByRole('button', { name: 'Open the menu' })
      if (await narrow.isVisible()) await narrow.click()
      else await page.getByRole('button', { name: 'Account and theme' }).click()
      await page.waitForTimeout(500)
    },
  },
  {
    name: 'palette',
    only: ['375-dark', '1440-light'],
    path: 'phones',
    async then(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
    },
  },
  { name: 'account', path: '../../account' },
]

/** Pages on which a person gives a program access. */
export const accessScenes = ({ setupUrl, consentUrl, terminal }: Furnished): readonly Scene[] => [
  { name: 'setup', path: setupUrl },
  {
    name: 'connect',
    path: '../../connect',
    async then(page) {
      await page.getByLabel('Code').fill(await terminal())
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Allow' }).waitFor()
    },
  },
  { name: 'authorize', path: consentUrl },
]
