/** The console in a real Chromium: the first operator, a project, and a key that is used and revoked. */
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import { becomeOperator, newKey, newPage, newProject } from './system/console-pages.js'
import { eventually } from './system/tenant.js'

const run = Date.now().toString(36)
const system = inject('system')
let browser: Browser
let owner: Page
/** Errors of the page, and violations of its policy. */
const complaints: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
  owner = await newPage(browser, { viewport: { width: 1440, height: 900 } }, complaints)
}, 200_000)
afterAll(() => browser.close())

const account = (key: string): Promise<number> =>
  fetch(`${system.up.base_url}/v1/account`, { headers: { authorization: `Bearer ${key}` } }).then(
    ({ status }) => status,
  )

describe('the first operator', () => {
  it('opens the link of up, creates a project and a key, uses the key, and revokes it', async () => {
    await becomeOperator(owner, system, { name: 'Olga', email: `olga-${run}@example.com` })
    await newProject(owner, `Shop ${run}`)
    const key = await newKey(owner, 'checkout agent')
    expect(key).toMatch(/^prk_/)
    expect(await account(key)).toBe(200)
    // The key is shown once.
    expect(await owner.content()).not.toContain(key)
    await owner.getByRole('button', { name: 'Revoke checkout agent' }).click()
    await owner.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click()
    await owner.getByText('No active keys').waitFor()
    await eventually('the key is refused', 100_000, async () => (await account(key)) === 401)
  })
})

it('the page had no error and violated no policy', () => {
  // Chromium reports each refused request as an error.
  expect(complaints.filter((text) => !/status of (401|403|404|400)/.test(text))).toEqual([])
})
