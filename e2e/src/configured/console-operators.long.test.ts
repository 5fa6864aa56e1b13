/** The operators' console in a real Chromium: a drained host, its phones that end, and the other pages. */
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { type Browser, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { openBrowser } from '../system/browser.js'
import {
  acceptLink,
  addToLibrary,
  axeFindings,
  dialogFindings,
  enterOperators,
  firstLink,
  loaded,
  newPage,
} from '../system/console-pages.js'
import { plugIn } from '../system/plugged-in.js'
import { getPhone, newTenant, operatorOf, readyPhone, startAgain } from '../system/tenant.js'

const email = 'olga@example.com'
/** Script, markup and a character that changes the direction of text. */
const hostileName = '<img src=x onerror="alert(1)">\u202Eevil'
/** The text without the character that changes the direction. */
const shownName = hostileName.replace('\u202E', '')

const system = inject('system')
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
  page = await newPage(browser, { viewport: { width: 1440, height: 900 } }, complaints)
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
}, 300_000)
afterAll(async () => {
  await browser.close()
})

const open = async (name: string): Promise<void> => {
  await page.getByRole('navigation', { name: 'Operators' }).getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await loaded(page)
}

const devicesSchema = z.object({
  data: z.array(z.object({ serial: z.string(), state: z.string(), link: z.string() })),
})
const devices = async () =>
  devicesSchema.parse((await operatorOf(system).get('/operator/v1/devices')).body).data

const hostsSchema = z.object({ data: z.tuple([z.object({ devices: z.int() })]) })
/** The number of devices of the only host. */
const devicesOfHost = async (): Promise<number> =>
  hostsSchema.parse((await operatorOf(system).get('/operator/v1/hosts')).body).data[0].devices

/** Opens and checks the dialogs of a menu. */
async function checkDialogs(menu: Locator, items: readonly string[]): Promise<void> {
  for (const item of items) {
    await menu.click()
    await page.getByRole('menuitem', { name: item }).click()
    expect(await dialogFindings(page, menu)).toEqual([])
  }
}

/** Opens and checks the dialog of a button. */
async function checkDialog(name: string): Promise<void> {
  const button = page.getByRole('button', { name })
  await button.click()
  expect(await dialogFindings(page, button)).toEqual([])
}

/** Begins and ends the maintenance of a free device. */
async function maintain(device: Locator): Promise<void> {
  const choose = async (name: string): Promise<void> => {
    await device.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Begin maintenance…')
  const dialog = page.getByRole('dialog', { name: /^Begin maintenance of .+\?$/ })
  await dialog.getByLabel('Note').fill(hostileName)
  await dialog.getByRole('button', { name: 'Begin maintenance' }).click()
  await device.getByText(shownName).waitFor()
  await choose('End maintenance')
  await device.getByText(shownName).waitFor({ state: 'detached' })
}

it('needs a separate sign-in, at the address of the operators', async () => {
  await acceptLink(page, await firstLink(system), { name: 'Olga', email })
  // The public console has no pages for operators.
  const publicOrigin = new URL(page.url()).origin
  await page.goto(`${publicOrigin}/console/operator/hosts`)
  await page.waitForURL((url) => !url.pathname.includes('/operator/'))
  expect(await page.getByRole('navigation', { name: 'Operators' }).count()).toBe(0)

  const operatorOrigin = await enterOperators(page, email)
  expect(new URL(operatorOrigin).port).toBe(new URL(system.up.operator_url).port)
  expect(operatorOrigin).not.toBe(publicOrigin)
})

it('the palette reaches each page of operators', async () => {
  for (const name of ['Devices', 'All projects', 'App library', 'Audit log', 'System', 'Hosts']) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search commands' }).fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }
})

it('drains a host, and shows how its phones end without a reload', async () => {
  const tenant = await newTenant(system)
  const { id } = await readyPhone(tenant.admin, { name: hostileName })
  const host = page.getByRole('list', { name: 'Hosts' }).locator('> li')
  const count = await devicesOfHost()
  const port = host.getByRole('listitem').filter({ hasText: hostileName })
  await port.getByText('ready').waitFor()
  await host.getByText(`1 of ${count} devices`).waitFor()
  await host.getByText(/^\d+ days left$/).waitFor()
  expect(await axeFindings(page)).toEqual([])

  await checkDialogs(host.getByRole('button', { name: /^Actions for/ }), ['Drain…', 'Retire…'])
  await host.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Drain…' }).click()
  const dialog = page.getByRole('dialog', { name: /^Drain .+\?$/ })
  await dialog.getByLabel('Running phones').selectOption('End immediately')
  await dialog.getByRole('button', { name: 'Drain', exact: true }).click()
  await host.getByText('drained', { exact: true }).waitFor()
  await port.getByText('unavailable').waitFor()
  await host.getByText(`0 of ${count} devices`).waitFor()
  expect((await getPhone(tenant.admin, id)).status).toBe('unavailable')

  await host.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'End the drain' }).click()
  await host.getByText('drained', { exact: true }).waitFor({ state: 'detached' })
  await startAgain(tenant.admin, id)
  await port.getByText('ready').waitFor()
  await tenant.admin.delete(`/v1/phones/${id}`)
})

it('gives the command for a new host', async () => {
  await checkDialog('Add host')
  await page.getByRole('button', { name: 'Add host' }).click()
  await page.getByRole('button', { name: 'Create command' }).click()
  const command = await page.getByRole('dialog').locator('pre').innerText()
  expect(command).toContain(`phonerack-agent join --server ${system.up.base_url} --token-file -`)
  expect(command).toMatch(/\nprj_\S+\nEND/)
  await page.getByRole('button', { name: 'Done' }).click()
})

it('shows devices with the evidence of their wipe, projects, the audit log and the system', async () => {
  const operator = operatorOf(system)
  const hostileProject = `${hostileName} project`
  expect((await operator.post('/operator/v1/projects', { name: hostileProject })).status).toBe(201)
  await open('Devices')
  const free = (await devices()).find(({ state, link }) => state === 'free' && link === 'healthy')
  const device = page.getByRole('listitem', { name: free?.serial ?? '', exact: true })
  await device.getByText(/^Details; last wipe passed \d+ checks$/).click()
  await device.getByText('Evidence of the last wipe').waitFor()
  await device.getByRole('region', { name: 'Changes by operators' }).getByText('device.enroll').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await device.getByRole('button', { name: /^Actions for/ }).click()
  expect(await page.getByRole('menuitem', { name: 'Enrol…' }).getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Escape')
  await checkDialogs(device.getByRole('button', { name: /^Actions for/ }), ['Begin maintenance…'])
  await maintain(device)

  await open('All projects')
  const { name } = system.up.project
  await page.getByText(hostileProject).waitFor()
  const project = page
    .getByRole('list', { name: 'Projects' })
    .locator('> li')
    .filter({ hasText: system.up.project.id })
  await checkDialogs(project.getByRole('button', { name: `Actions for ${name}` }), [
    'Change the credit…',
    'Change the limits…',
  ])
  await project.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Freeze…' }).click()
  const question = page.getByRole('alertdialog', { name: new RegExp(`^Freeze .*${name}`) })
  expect(await axeFindings(page)).toEqual([])
  await question.getByRole('button', { name: 'Freeze project' }).click()
  await project.getByText('frozen', { exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await project.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Unfreeze' }).click()
  await project.getByText('frozen', { exact: true }).waitFor({ state: 'detached' })

  await open('App library')
  await checkDialog('Add app')
  // The service removes direction characters from labels.
  const label = '<img src=x onerror="alert(1)">'
  const build = { package: 'org.example.shop', versionCode: 3, versionName: '1.3', label }
  await addToLibrary(page, [makeApk(build, await newSigner('the console'))], label)
  expect(await axeFindings(page)).toEqual([])
  const added = page.getByRole('listitem').filter({ hasText: build.package })
  await added.getByRole('button', { name: /^Remove / }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove app' }).click()
  await added.waitFor({ state: 'detached' })

  await open('Audit log')
  const log = page.getByRole('list', { name: 'Audit log' })
  const drained = log.locator('> li').filter({ hasText: 'host.drain' })
  await drained.getByText(email).waitFor()
  expect(await axeFindings(page)).toEqual([])

  await open('System')
  await page.getByText('connected', { exact: true }).waitFor()
  await page.getByRole('list', { name: 'Replicas' }).getByText('running').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await checkDialog('Pause the service…')
})

it('enrols a connected phone only after its serial was typed', async () => {
  const plugged = await plugIn(system)
  try {
    await open('Devices')
    const device = page.getByRole('listitem', { name: plugged.serial })
    await device.getByText('unenrolled', { exact: true }).waitFor()
    const menu = device.getByRole('button', { name: /^Actions for/ })
    await checkDialogs(menu, ['Enrol…'])
    await menu.click()
    await page.getByRole('menuitem', { name: 'Enrol…' }).click()
    const dialog = page.getByRole('dialog', { name: `Enrol ${plugged.serial}?` })
    const enrol = dialog.getByRole('button', { name: 'Erase and enrol' })
    const serial = dialog.getByLabel('Type the serial to confirm')
    await serial.fill(plugged.serial.slice(0, -1))
    expect(await enrol.isDisabled()).toBe(true)
    await serial.fill(plugged.serial)
    await enrol.click()
    await device.getByText('free', { exact: true }).waitFor({ timeout: 120_000 })
  } finally {
    await plugged.close()
  }
}, 200_000)

it('had no error, and violated no policy', () => {
  expect(complaints.filter((text) => !/status of (401|403|404)/.test(text))).toEqual([])
})
