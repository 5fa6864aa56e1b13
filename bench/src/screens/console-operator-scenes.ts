/** The pages of operators in the pictures of the console. Paths are below `/console/operator`. */
import { type Page } from 'playwright-core'
import { type Scene } from './console-scenes.js'

/** Opens the menu of the first device with this state, and chooses an item in it. */
async function choose(page: Page, state: string, item: string): Promise<void> {
  const device = page
    .getByRole('list', { name: 'Devices' })
    .locator('> li')
    .filter({ has: page.getByText(state, { exact: true }) })
  await device
    .first()
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: item }).click()
}

export const operatorScenes: readonly Scene[] = [
  {
    name: 'hosts',
    path: 'hosts',
    async then(page) {
      await page.getByRole('list', { name: 'Alarms' }).waitFor()
    },
  },
  {
    name: 'host-drain',
    only: ['375-light', '1440-dark'],
    path: 'hosts',
    async then(page) {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Drain…' }).click()
      await page.getByRole('dialog').waitFor()
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
    name: 'device-menu',
    only: ['375-dark', '1440-light'],
    path: 'devices',
    async then(page) {
      const device = page.getByRole('listitem').filter({ hasText: 'in maintenance' })
      await device.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: 'End maintenance' }).waitFor()
    },
  },
  {
    name: 'device-enroll',
    path: 'devices',
    async then(page) {
      await choose(page, 'unenrolled', 'Enrol…')
      const dialog = page.getByRole('dialog', { name: /^Enrol/ })
      const serial = (await dialog.getByRole('heading').locator('bdi').innerText()).trim()
      await dialog.getByLabel('Type the serial to confirm').fill(serial)
    },
  },
  {
    name: 'device-release',
    path: 'devices',
    async then(page) {
      await choose(page, 'quarantined', 'Release…')
      await page.getByRole('alertdialog').waitFor()
    },
  },
  { name: 'all-projects', path: 'projects' },
  {
    name: 'project-limits',
    only: ['375-dark', '1440-light'],
    path: 'projects',
    async then(page) {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Change the limits…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'library', path: 'library' },
  { name: 'audit', path: 'audit' },
  { name: 'system', path: 'system' },
]
