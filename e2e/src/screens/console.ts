/** `./scripts/screens console`: pictures of the console's pages, narrow and wide, light and dark. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Browser, type Page } from 'playwright-core'
import { openBrowser } from '../system/browser.js'
import { acceptLink, loaded, newPage, operatorLink } from '../system/console-pages.js'
import { withParts, type Parts } from '../system/parts.js'
import { root, type System } from '../system/system.js'

const folder = path.join(root, 'docs', 'screens', 'console')
const sizes = { 375: { width: 375, height: 812 }, 1440: { width: 1440, height: 900 } }

interface Scene {
  name: string
  /** Path below the project, or below the console. */
  path: string
  /** Left out: the page itself. */
  then?: (page: Page) => Promise<void>
}

const scenes: readonly Scene[] = [
  { name: 'phones', path: 'phones' },
  { name: 'keys', path: 'keys' },
  {
    name: 'key-created',
    path: 'keys',
    async then(page) {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('release check')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog', { name: 'Copy your key now' }).waitFor()
    },
  },
  { name: 'members', path: 'members' },
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

/** Replaces secrets of keys in the page's texts: they look like real ones. */
const hideSecrets = `{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode())
    texts.currentNode.data = texts.currentNode.data.replace(/prk_[\\w-]{43}/g, 'prk_' + 'Example'.repeat(6) + '0')
}`

async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(hideSecrets)
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
  process.stdout.write(`docs/screens/console/${name}.png\n`)
}

/** A project with phones, keys and members. Returns its path. */
async function furnish(page: Page, system: System): Promise<string> {
  const project = system.up.project.id
  const origin = new URL(system.up.console_url).origin
  const send = (method: string, at: string, body: object): Promise<void> =>
    page.evaluate(
      async ([sentMethod, url, text]) => {
        const session = (await (await fetch('/console/api/session')).json()) as { csrf_token: string }
        const headers = { 'content-type': 'application/json', 'x-csrf-token': session.csrf_token }
        const answer = await fetch(`/console/api${url}`, { method: sentMethod, headers, body: text })
        await answer.json()
      },
      [method, at, JSON.stringify(body)] as const,
    )
  const of = `/projects/${project}`
  for (const name of ['checkout tests', 'price watch', 'release 4.2'])
    await send('POST', `${of}/phones`, { name })
  await send('POST', `${of}/keys`, { name: 'nightly', preset: 'admin', expires: 'never' })
  await send('POST', `${of}/keys`, { name: 'dashboard', preset: 'read-only', expires: '1y' })
  for (const [email, role] of [
    ['vera@example.com', 'viewer'],
    ['max@example.com', 'member'],
  ])
    await send('POST', `${of}/invitations`, { email, role })
  return `${origin}/console/projects/${project}`
}

async function drawAll(browser: Browser, system: System): Promise<void> {
  await mkdir(folder, { recursive: true })
  const first = await newPage(browser, { viewport: sizes[1440] }, [])
  const link = await operatorLink(system)
  for (const [width, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await newPage(browser, { viewport, colorScheme }, [])
      await page.goto(link)
      await page.getByLabel('Name').waitFor()
      await shoot(page, `welcome-${width}-${colorScheme}`)
      await page.goto(`${system.up.console_url}/sign-in`)
      await page.getByLabel('Password').waitFor()
      await shoot(page, `sign-in-${width}-${colorScheme}`)
      await page.context().close()
    }
  await acceptLink(first, link, { name: 'Olga Example', email: 'olga@example.com' })
  const at = await furnish(first, system)
  const storageState = await first.context().storageState()
  for (const [width, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await newPage(browser, { viewport, colorScheme, storageState }, [])
      for (const { name, path: below, then } of scenes) {
        await page.goto(`${at}/${below}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await loaded(page)
        await then?.(page)
        await shoot(page, `${name}-${width}-${colorScheme}`)
      }
      await page.context().close()
    }
}

async function draw(parts: Parts): Promise<void> {
  const browser = await parts.start(openBrowser(), (each) => each.close())
  await drawAll(browser, await parts.startSystem({ virtualPhones: 3 }))
}

await withParts(draw)
