/** `./scripts/screens console [SCENE…]`: pictures of the console's pages, narrow and wide, light and dark. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startMailServer } from '@phonerack/shared/testing/mail-server'
import { type Browser, type Page } from 'playwright-core'
import sharp from 'sharp'
import { z } from 'zod'
import { openBrowser } from '@phonerack/e2e/system/browser.js'
import {
  acceptLink,
  enterOperators,
  firstLink,
  loaded,
  newPage,
} from '@phonerack/e2e/system/console-pages.js'
import { startOidcIssuer } from '@phonerack/e2e/system/oidc-issuer.js'
import { withParts, type Parts } from '@phonerack/e2e/system/parts.js'
import { startStripePages } from '@phonerack/e2e/system/stripe.js'
import { root, type System } from '@phonerack/e2e/system/system.js'
import { operatorOf } from '@phonerack/e2e/system/tenant.js'
import { startWebhookReceiver } from '@phonerack/e2e/system/webhook-receiver.js'
import { furnish, ownerEmail, type Outside } from './console-data.js'
import { operatorScenes } from './console-operator-scenes.js'
import { phoneScenes } from './console-phone-scenes.js'
import { furnishOperators } from './console-rack.js'
import { accessScenes, looks, scenes, type Look, type Scene } from './console-scenes.js'
import { stateScenes } from './console-state-scenes.js'

const folder = path.join(root, 'docs', 'screens', 'console')
/** The scenes that are drawn. Omitted: all. */
const chosen = process.argv.slice(2)

/** Replaces keys, join tokens and folders in the page's texts with examples, since they look real. */
const hideSecrets = `{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode())
    texts.currentNode.data = texts.currentNode.data
      .replace(/prk_[\\w-]{43}/g, 'prk_' + 'Example'.repeat(6) + '0')
      .replace(/\\/tmp\\/[\\w-]+/g, '/var/lib/phonerack')
      .replace(/prj_[\\w.-]+/g, 'prj_' + 'Example'.repeat(12))
}`

const contextOf = (look: Look) => {
  const [width, colorScheme] = look.split('-') as ['375' | '1440', 'light' | 'dark']
  const viewport = width === '375' ? { width: 375, height: 812 } : { width: 1440, height: 900 }
  return { viewport, colorScheme }
}

/** Writes a picture with a palette, which takes a third of the bytes. */
async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(hideSecrets)
  const picture = sharp(await page.screenshot()).png({ palette: true, effort: 10, dither: 0.5 })
  await writeFile(path.join(folder, `${name}.png`), await picture.toBuffer())
  process.stdout.write(`docs/screens/console/${name}.png\n`)
}

/** Draws a scene. Returns why the drawing failed, so that the other scenes are still drawn. */
async function drawScene(page: Page, look: Look, scene: Scene, base: string): Promise<string | null> {
  const name = `${scene.name}-${look}`
  try {
    await scene.before?.(page)
    await page.goto(new URL(scene.path, base).href)
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (scene.isLoading !== true) await loaded(page)
    await scene.then?.(page)
    await shoot(page, name)
    await scene.after?.(page)
    return null
  } catch (error) {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    return `${name}: ${error instanceof Error ? error.message : String(error)}`
  }
}

const outsideScenes: readonly Scene[] = [
  { name: 'sign-in', path: 'sign-in' },
  { name: 'sign-up', path: 'sign-up' },
  { name: 'forgot', path: 'forgot' },
]

interface Set {
  base: string
  scenes: readonly Scene[]
}

/** @param state the browser's state of a signed-in person */
async function drawSets(
  browser: Browser,
  sets: readonly Set[],
  state: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>> | null,
): Promise<string[]> {
  const failures: (string | null)[] = []
  for (const look of looks) {
    const page = await newPage(
      browser,
      { ...contextOf(look), ...(state === null ? {} : { storageState: state }) },
      [],
    )
    for (const { base, scenes: some } of sets)
      for (const scene of some)
        if ((scene.only ?? looks).includes(look) && (chosen.length === 0 || chosen.includes(scene.name)))
          failures.push(await drawScene(page, look, scene, base))
    await page.context().close()
  }
  return failures.filter((failure) => failure !== null)
}

async function drawAll(parts: Parts, browser: Browser, system: System, outside: Outside): Promise<void> {
  // Pictures of scenes that no longer exist are deleted.
  if (chosen.length === 0) await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const first = await newPage(browser, contextOf('1440-light'), [])
  const link = await firstLink(system)
  const welcome = { name: 'welcome', path: link }
  const failures = await drawSets(
    browser,
    [{ base: `${system.up.console_url}/`, scenes: [welcome, ...outsideScenes] }],
    null,
  )
  await acceptLink(first, link, { name: 'Olga Example', email: ownerEmail })
  const furnished = await furnish(browser, first, system, outside)
  const operatorOrigin = await enterOperators(first, ownerEmail)
  await furnishOperators(parts, first, system, operatorOrigin)
  const sets = [
    {
      base: `${furnished.at}/`,
      scenes: [...scenes, ...phoneScenes, ...accessScenes(furnished), ...stateScenes(furnished)],
    },
    { base: `${operatorOrigin}/console/operator/`, scenes: operatorScenes },
  ]
  failures.push(...(await drawSets(browser, sets, await first.context().storageState())))
  const reset = await operatorOf(system).post('/operator/v1/resets', { email: ownerEmail })
  const links = [
    { name: 'new-password', path: z.object({ url: z.string() }).parse(reset.body).url },
    {
      name: 'sign-in-failed',
      path: 'callback/oidc?error=access_denied&state=none',
      only: ['375-dark', '1440-light'] as const,
    },
  ]
  failures.push(...(await drawSets(browser, [{ base: `${system.up.console_url}/`, scenes: links }], null)))
  if (failures.length > 0) throw new Error(failures.join('\n\n'))
}

async function draw(parts: Parts): Promise<void> {
  const browser = await parts.start(openBrowser(), (each) => each.close())
  const stripe = await parts.start(startStripePages(), (each) => Promise.resolve(each.close()))
  const receiver = await parts.start(startWebhookReceiver(), (each) => Promise.resolve(each.close()))
  const person = { sub: 'ann', email: 'ann@example.com', email_verified: true, name: 'Ann Example' }
  const issuer = await parts.start(startOidcIssuer(person), (each) => each.close())
  const mail = await parts.start(startMailServer(), (each) => each.close())
  const env = {
    ...issuer.env,
    ...stripe.env,
    PHONERACK_SMTP_URL: mail.url,
    PHONERACK_SIGN_UP: 'open',
    PHONERACK_OAUTH_REGISTRATION: 'on',
  }
  const system = await parts.startSystem({ virtualPhones: 8, env, faultPort: true })
  await drawAll(parts, browser, system, { stripe, receiver, mail })
}

await withParts(draw)
