/**
 * Texts of tenants, their phones, files and clients in the console, in a real Chromium of 375 and 1440 px:
 * the longest accepted texts, with markup, script and direction characters. No script runs, no text is cut,
 * and the direction of other text stays.
 */
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { openBrowser } from './system/browser.js'
import {
  acceptLink,
  addToLibrary,
  becomeOperator,
  enterOperators,
  invite,
  loaded,
} from './system/console-pages.js'
import { errorOf, type Answer } from './system/api.js'
import { expectHarmless, hostile, undirected, watchedPage } from './system/harmless.js'
import { type System } from './system/system.js'
import { newKey, newTenant, readyPhone, type Tenant } from './system/tenant.js'

const run = Date.now().toString(36)
const email = `hanna-${run}@example.com`
const longest = 10_000
const name = hostile(80)
const values = [hostile(256), 'W'.repeat(256), 'ك'.repeat(256), '\u0301'.repeat(256)]
/** A file name has at most 255 bytes, which is the limit of file systems. */
const fileName = hostile(200)
const octets = { headers: { 'content-type': 'application/octet-stream' } }

let system: System
let browser: Browser
let tenant: Tenant
let phone = ''
/** An owner of the project, and an operator. */
let page: Page
let operator: Page
let origin = ''
const complaints: string[] = []

const made = (answer: Answer): Answer => {
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer
}

beforeAll(async () => {
  system = inject('system')
  browser = await openBrowser()
  tenant = await newTenant(system, { name })
  const metadata = Object.fromEntries(values.map((value, index) => [`${'k'.repeat(39)}${index}`, value]))
  phone = (await readyPhone(tenant.admin, { name, metadata })).id
  await newKey(system, tenant.projectId, 'agent', { name })
  const url = `https://receiver.invalid/${'W'.repeat(1900)}`
  made(await tenant.admin.post('/v1/webhooks', { url, description: hostile(200), events: ['balance.low'] }))
  const at = `/v1/phones/${phone}/files?path=${encodeURIComponent(`/sdcard/Download/${fileName}`)}`
  made(await tenant.admin.put(at, Buffer.from('x'), octets))

  operator = await watchedPage(browser, complaints)
  await becomeOperator(operator, system, { name, email })
  origin = new URL(operator.url()).origin
  const link = await invite(operator, tenant.projectId, { email: `hal-${run}@example.com`, role: 'owner' })
  page = await watchedPage(browser, complaints)
  await page.goto(link)
  await page.getByText('You are invited to the project').waitFor()
  await expectHarmless(page, 'an invitation')
  await acceptLink(page, link, { name })
}, 300_000)
afterAll(async () => {
  await tenant.admin.delete(`/v1/phones/${phone}`)
  await browser.close()
})

async function open(path: string): Promise<void> {
  await page.goto(`${origin}/console/projects/${tenant.projectId}/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await loaded(page)
}

/** Opens the question of a button, and answers no. */
async function question(of: Page, where: string, button: string | RegExp): Promise<void> {
  await of.getByRole('button', { name: button }).click()
  await of.getByRole('alertdialog').waitFor()
  await expectHarmless(of, where)
  await of.getByRole('button', { name: 'Cancel' }).click()
}

it('are refused with 10,000 characters', async () => {
  const text = hostile(longest)
  const { admin, operator: desk, projectId } = tenant
  const at = `/v1/phones/${phone}`
  const path = encodeURIComponent(`/sdcard/Download/${text}`)
  for (const answer of await Promise.all([
    admin.post('/v1/phones', { name: text }),
    admin.patch(at, { name: text }),
    admin.patch(at, { metadata: { note: text } }),
    admin.post(`${at}/handoffs`, { message: text }),
    admin.post(`${at}/recordings`, { name: text }),
    admin.put(`${at}/files?path=${path}`, Buffer.from('x'), octets),
    admin.post('/v1/webhooks', { url: 'https://receiver.invalid/', description: text }),
    admin.post('/v1/webhooks', { url: `https://receiver.invalid/${text}` }),
    desk.post('/operator/v1/projects', { name: text }),
    desk.post('/operator/v1/keys', { name: text, project: projectId, preset: 'agent', expires: 'never' }),
    admin.post('/v1/setup', { client: text }),
  ]))
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'validation_failed'])
})

it('are harmless in lists and on a wall of thumbnails', async () => {
  await open('phones')
  await page.getByRole('list', { name: 'Phones', exact: true }).getByRole('link', { name }).waitFor()
  await expectHarmless(page, 'phones')
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('alertdialog').waitFor()
  await expectHarmless(page, 'the question of a deletion')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Switch project' }).click()
  await page.getByRole('menu').waitFor()
  await expectHarmless(page, 'projects to choose')
  await page.keyboard.press('Escape')
  await open('phones?view=wall')
  await page.getByRole('img', { name: `Screen of ${name}` }).waitFor()
  await expectHarmless(page, 'wall')
  await open('keys')
  await page.getByRole('list', { name: 'Active keys' }).getByText(name).waitFor()
  await expectHarmless(page, 'keys')
  await question(page, 'the question about a key', `Revoke ${name}`)
  await open('webhooks')
  await page.getByRole('list', { name: 'Webhooks' }).getByRole('link').waitFor()
  await expectHarmless(page, 'webhooks')
  await page.getByRole('list', { name: 'Webhooks' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
  await expectHarmless(page, 'webhook')
  await open('members')
  await page.getByText('(you)').waitFor()
  await expectHarmless(page, 'members')
  for (const other of ['events', 'activity', 'usage', 'credit']) {
    await open(other)
    await expectHarmless(page, other)
  }
  await page.goto(`${origin}/console/account`)
  await page.getByText(`hal-${run}@example.com`).waitFor()
  await expectHarmless(page, 'account')
})

it('are harmless on the page of a phone', async () => {
  const at = `/v1/phones/${phone}`
  const act = async (...actions: object[]) =>
    made(await tenant.admin.post(`${at}/actions`, { actions, observe: 'text' }))
  made(await tenant.admin.put(`${at}/clipboard`, { text: hostile(longest) }))
  await act(
    { type: 'open_app', package: 'com.phonerack.notes' },
    { type: 'wait_for', target: { desc: 'New note' }, timeout_ms: 60_000 },
    { type: 'tap', target: { desc: 'New note' } },
  )
  await act({ type: 'wait_idle' }, { type: 'type', text: hostile(300), target: { text: 'Title' } })
  // The elements of the screen have no names.
  await act({ type: 'tap', target: { text: hostile(400) } })
  made(await tenant.admin.post(`${at}/recordings`, { name }))
  made(await tenant.admin.post(`${at}/handoffs`, { message: hostile(500) }))
  await open(`phones/${phone}`)
  await page.getByRole('heading', { level: 1, name: undirected(name) }).waitFor()
  await page.getByText('An agent asks for help').waitFor()
  await page.getByRole('list', { name: 'Steps' }).getByText('tap').first().waitFor()
  await expectHarmless(page, 'phone')
  for (const [tab, shown] of [
    ['Details', page.getByText(values[1] ?? '', { exact: true })],
    ['Recordings', page.getByRole('list', { name: 'Recordings' })],
    ['Screen', page.getByLabel('The screen as text')],
    ['Log', page.getByRole('list', { name: 'Log' })],
    ['Files', page.getByRole('list', { name: 'Files' }).getByText(undirected(fileName))],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await shown.waitFor()
    await expectHarmless(page, tab)
  }
  await question(page, 'the question about a file', `Delete ${fileName}`)
  await page.getByRole('tab', { name: 'Clipboard' }).click()
  await page.getByRole('button', { name: 'Read from the phone' }).click()
  await expect.poll(() => page.getByLabel('Text in the clipboard').inputValue()).toBe(hostile(longest))
  await expectHarmless(page, 'clipboard')
})

it('are harmless as the names of clients that ask for access', async () => {
  const post = (path: string, body: object) =>
    fetch(`${system.up.base_url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const redirect = 'http://127.0.0.1:1/callback'
  const registered = await post('/oauth/register', { client_name: hostile(1000), redirect_uris: [redirect] })
  const { client_id: id } = z.object({ client_id: z.string() }).parse(await registered.json())
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: redirect,
    response_type: 'code',
    resource: system.up.mcp_url,
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
    state: hostile(100),
  })
  await page.goto(`${origin}/oauth/authorize?${query.toString()}`)
  await page.getByText('asks for access').waitFor()
  await expectHarmless(page, 'a client that asks')

  const asked = await post('/v1/setup', { client: '<img src=x onerror=window.ran=1>' })
  const { user_code: code } = z.object({ user_code: z.string() }).parse(await asked.json())
  await page.goto(`${origin}/console/connect`)
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('asked for a key').waitFor()
  await expectHarmless(page, 'a terminal that asks')
  await page.getByRole('button', { name: 'Deny' }).click()
})

it('are harmless on the pages of operators', async () => {
  const app = `org.example.hostile.r${run}`
  const text = hostile(longest)
  const apk = makeApk(
    { package: app, versionCode: 1, versionName: text, label: text },
    await newSigner('hostile'),
  )
  await operator.goto(`${origin}/console/account`)
  const desk = await enterOperators(operator, email)
  await operator
    .getByRole('list', { name: /^Phones in the ports/ })
    .getByText(name)
    .waitFor()
  await expectHarmless(operator, 'hosts')
  await operator.goto(`${desk}/console/operator/library`)
  await addToLibrary(operator, [apk], app)
  await expectHarmless(operator, 'library')
  const row = operator.getByRole('list', { name: 'Apps' }).locator('> li').filter({ hasText: app })
  await question(operator, 'the question about an app', /^Remove </)
  await row.getByRole('button', { name: /^Remove / }).click()
  await operator.getByRole('alertdialog').getByRole('button', { name: 'Remove app' }).click()
  await row.waitFor({ state: 'detached' })
  for (const other of ['projects', 'audit']) {
    await operator.goto(`${desk}/console/operator/${other}`)
    await operator.getByRole('heading', { level: 1 }).waitFor()
    await loaded(operator)
    await expectHarmless(operator, `operators ${other}`)
  }
})

it('caused no error, violated no policy, and asked no other host', () => {
  expect(complaints.filter((text) => !/status of (400|401|403|404|409)/.test(text))).toEqual([])
})
