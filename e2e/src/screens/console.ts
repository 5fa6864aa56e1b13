/** `./scripts/screens console`: pictures of the console's pages, narrow and wide, light and dark. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { startMailServer } from '@phonerack/shared/testing/mail-server'
import { type Browser, type Page } from 'playwright-core'
import { openBrowser } from '../system/browser.js'
import { acceptLink, enterOperators, firstLink, loaded, newPage } from '../system/console-pages.js'
import { startOidcIssuer } from '../system/oidc-issuer.js'
import { withParts, type Parts } from '../system/parts.js'
import { startStripePages } from '../system/stripe.js'
import { root, type System } from '../system/system.js'
import { startWebhookReceiver } from '../system/webhook-receiver.js'
import { furnish, furnishOperators, ownerEmail, type Outside } from './console-data.js'
import { operatorScenes, scenes } from './console-scenes.js'

const folder = path.join(root, 'docs', 'screens', 'console')
const sizes = { 375: { width: 375, height: 812 }, 1440: { width: 1440, height: 900 } }

/** Replaces keys, join tokens and folders in the page's texts: they look like real ones. */
const hideSecrets = `{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode())
    texts.currentNode.data = texts.currentNode.data
      .replace(/prk_[\\w-]{43}/g, 'prk_' + 'Example'.repeat(6) + '0')
      .replace(/\\/tmp\\/[\\w-]+/g, '/var/lib/phonerack')
      .replace(/prj_[\\w.-]+/g, 'prj_' + 'Example'.repeat(12))
}`

async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(hideSecrets)
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
  process.stdout.write(`docs/screens/console/${name}.png\n`)
}

async function drawAll(browser: Browser, system: System, outside: Outside): Promise<void> {
  await mkdir(folder, { recursive: true })
  const first = await newPage(browser, { viewport: sizes[1440] }, [])
  const link = await firstLink(system)
  for (const [width, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await newPage(browser, { viewport, colorScheme }, [])
      await page.goto(link)
      await page.getByLabel('Name').waitFor()
      await shoot(page, `welcome-${width}-${colorScheme}`)
      await page.goto(`${system.up.console_url}/sign-in`)
      await page.getByLabel('Password').waitFor()
      await shoot(page, `sign-in-${width}-${colorScheme}`)
      await page.getByRole('link', { name: 'Create an account' }).click()
      await page.getByRole('heading', { level: 1, name: 'Create an account' }).waitFor()
      await shoot(page, `sign-up-${width}-${colorScheme}`)
      await page.context().close()
    }
  await acceptLink(first, link, { name: 'Olga Example', email: ownerEmail })
  const at = await furnish(browser, first, system, outside)
  const operatorOrigin = await enterOperators(first, ownerEmail)
  await furnishOperators(first, system, operatorOrigin)
  const storageState = await first.context().storageState()
  for (const [width, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await newPage(browser, { viewport, colorScheme, storageState }, [])
      const all = [
        ...scenes.map((scene) => ({ ...scene, url: `${at}/${scene.path}` })),
        ...operatorScenes.map((scene) => ({
          ...scene,
          url: `${operatorOrigin}/console/operator/${scene.path}`,
        })),
      ]
      for (const { name, url, then, after } of all) {
        await page.goto(url)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await loaded(page)
        await then?.(page)
        await shoot(page, `${name}-${width}-${colorScheme}`)
        await after?.(page)
      }
      await page.context().close()
    }
}

async function draw(parts: Parts): Promise<void> {
  const browser = await parts.start(openBrowser(), (each) => each.close())
  const stripe = await parts.start(startStripePages(), (each) => Promise.resolve(each.close()))
  const receiver = await parts.start(startWebhookReceiver(), (each) => Promise.resolve(each.close()))
  const person = { sub: 'ann', email: 'ann@example.com', email_verified: true, name: 'Ann Example' }
  const issuer = await parts.start(startOidcIssuer(person), (each) => each.close())
  const mail = await parts.start(startMailServer(), (each) => each.close())
  const env = { ...issuer.env, PHONERACK_SMTP_URL: mail.url, PHONERACK_SIGN_UP: 'open', ...stripe.env }
  await drawAll(browser, await parts.startSystem({ virtualPhones: 6, env }), { stripe, receiver })
}

await withParts(draw)
