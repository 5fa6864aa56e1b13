/**
 * `phonerack login` against the console in a real Chromium: a member sees which program asks and from where,
 * and allows or denies the request.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import { acceptLink, axeFindings, becomeOperator, invite, newPage } from './system/console-pages.js'
import { root, type System } from './system/system.js'
import { newTenant, type Tenant } from './system/tenant.js'

const program = path.join(root, 'clients/cli/dist/cli.js')
const run = Date.now().toString(36)
const wide = { viewport: { width: 1440, height: 900 } }
const complaints: string[] = []

let system: System
let browser: Browser
let tenant: Tenant
let member: Page
let dir = ''

beforeAll(async () => {
  system = inject('system')
  tenant = await newTenant(system)
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-terminal-e2e-'))
  browser = await openBrowser()
  const owner = await newPage(browser, wide, complaints)
  await becomeOperator(owner, system, { name: 'Tina', email: `tina-${run}@example.com` })
  const link = await invite(owner, tenant.projectId, { email: `tom-${run}@example.com`, role: 'member' })
  await owner.context().close()
  member = await newPage(browser, wide, complaints)
  await acceptLink(member, link, { name: 'Tom' })
}, 200_000)
afterAll(async () => {
  await browser.close()
  await rm(dir, { recursive: true, force: true })
})

/** The CLI, which stores its key in the folder `home`. */
function phonerack(home: string, ...words: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: path.join(dir, home) }
  const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { out: '', err: '' }
  child.stdout.on('data', (part: Buffer) => (said.out += part.toString('utf8')))
  child.stderr.on('data', (part: Buffer) => (said.err += part.toString('utf8')))
  const ended = once(child, 'close').then(([exitCode]) => ({ ...said, exitCode: exitCode as number | null }))
  /** The code and the page that the CLI prints while it waits. */
  const shown = async (): Promise<{ code: string; page: string }> => {
    for (;;) {
      const [, code, page] = /^Code +(\S+)\nPage +(\S+)\n/.exec(said.err) ?? []
      if (code !== undefined && page !== undefined) return { code, page }
      await Promise.race([once(child.stderr, 'data'), ended])
      if (child.exitCode !== null) throw new Error(`login ended: ${said.err}`)
    }
  }
  return { shown, ended }
}

const login = (home: string) => phonerack(home, 'login', '--base-url', system.up.base_url)

/** Opens the page that the terminal shows, and enters the code in the console. */
async function enter({ code, page }: { code: string; page: string }): Promise<void> {
  await member.goto(page)
  await member.getByRole('link', { name: 'Confirm it in the console' }).click()
  await member.getByRole('heading', { level: 1, name: 'Connect a terminal' }).waitFor()
  // A URL never fills in the code, since an attacker's link must not bring the attacker's code.
  await member.goto(`${member.url()}?code=${code}&user_code=${code}#${code}`)
  expect(await member.getByLabel('Code').inputValue()).toBe('')
  await member.getByLabel('Code').fill('7KQM-2XPA')
  await member.getByRole('button', { name: 'Continue' }).click()
  await member.getByRole('alert').getByText('no waiting terminal').waitFor()
  await member.getByLabel('Code').fill(code)
  await member.getByRole('button', { name: 'Continue' }).click()
  const client = `phonerack on ${hostname()}`.replace(/[^ -~]/g, '').slice(0, 60)
  await member.getByText(`${client} at 127.0.0.1 asked for a key`).waitFor()
  await member.getByText(code, { exact: true }).waitFor()
}

it('is signed in after a member compared its code and chose the project', async () => {
  const waiting = login('allowed')
  await enter(await waiting.shown())
  expect(await axeFindings(member)).toEqual([])
  await member.getByRole('combobox', { name: 'Project' }).selectOption(tenant.projectId)
  await member.getByRole('button', { name: 'Allow' }).click()
  await member.getByText('The terminal gets its key').waitFor()
  const { exitCode, out, err } = await waiting.ended
  expect([exitCode, out], err).toEqual([0, expect.stringContaining('Signed in to project')])
  expect(out + err).not.toMatch(/prk_/)
  const listed = await phonerack('allowed', 'phone', 'list', '--json').ended
  expect([listed.exitCode, JSON.parse(listed.out)]).toMatchObject([0, { data: [] }])
})

it('gets no key after a member denied it, and reports that', async () => {
  const waiting = login('denied')
  await enter(await waiting.shown())
  await member.getByRole('button', { name: 'Deny' }).click()
  await member.getByText('The terminal gets no key').waitFor()
  const { exitCode, out, err } = await waiting.ended
  expect([exitCode, out]).toEqual([4, ''])
  expect(err).toMatch(/denied/i)
  expect((await phonerack('denied', 'phone', 'list').ended).exitCode).toBe(3)
})

it('caused no error, and violated no policy', () => {
  expect(complaints.filter((text) => !/status of (401|403|404)/.test(text))).toEqual([])
})
