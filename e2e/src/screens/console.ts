/** `./scripts/screens console`: pictures of the console's pages, narrow and wide, light and dark. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { makeApk, newSigner } from '@phonerack/virtual-phone/testing/apk'
import { type Browser, type Page } from 'playwright-core'
import { z } from 'zod'
import { bodyOf } from '../conformance/rented.js'
import { openBrowser } from '../system/browser.js'
import {
  acceptLink,
  addToLibrary,
  enterOperators,
  firstLink,
  loaded,
  newPage,
} from '../system/console-pages.js'
import { startMailServer } from '../system/mail-server.js'
import { startOidcIssuer } from '../system/oidc-issuer.js'
import { withParts, type Parts } from '../system/parts.js'
import { startStripePages, type StripePages } from '../system/stripe.js'
import { root, type System } from '../system/system.js'
import { operatorOf } from '../system/tenant.js'
import { startWebhookReceiver, type WebhookReceiver } from '../system/webhook-receiver.js'

const folder = path.join(root, 'docs', 'screens', 'console')
const sizes = { 375: { width: 375, height: 812 }, 1440: { width: 1440, height: 900 } }

const listSchema = z.object({
  data: z.array(z.object({ id: z.string(), phone_id: z.string().nullable() })),
})

interface Scene {
  name: string
  /** Path below the project, or below the console. */
  path: string
  /** Left out: the page itself. */
  then?: (page: Page) => Promise<void>
  /** Ends what the picture shows. */
  after?: (page: Page) => Promise<void>
}

const phoneName = 'checkout tests'

/** Each picture of a new key adds one. */
const keyNames = ['release check', 'load test', 'staging', 'bug hunt']

const scenes: readonly Scene[] = [
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
const operatorScenes: readonly Scene[] = [
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

/** Lets an agent use a phone. A start waits until it is ready. */
async function useAsAgent({ up }: System, phone: string): Promise<void> {
  const headers = { authorization: `Bearer ${up.keys.admin}`, 'content-type': 'application/json' }
  const send = (at: string, body: object): Promise<Response> =>
    fetch(`${up.base_url}/v1/phones/${phone}${at}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await (await send('/start', {})).text()
  for (const [actions, observe] of [
    [[{ type: 'home' }], 'text'],
    [[{ type: 'open_app', package: 'com.android.settings' }, { type: 'wait_idle' }], 'both'],
    [[{ type: 'tap', target: { text: 'No such row' } }], 'text'],
  ] as const)
    await (await send('/actions', { actions, observe })).text()
}

type Send = (method: string, at: string, body: object) => Promise<Record<string, unknown>>

/** Sends requests of the console as its page does. */
const senderOf =
  (page: Page): Send =>
  (method, at, body) =>
    page.evaluate(
      async ([sentMethod, url, text]) => {
        const session = (await (await fetch('/console/api/session')).json()) as { csrf_token: string }
        const headers = { 'content-type': 'application/json', 'x-csrf-token': session.csrf_token }
        const answer = await fetch(`/console/api${url}`, { method: sentMethod, headers, body: text })
        return (await answer.json()) as Record<string, unknown>
      },
      [method, at, JSON.stringify(body)] as const,
    )

/** A device in maintenance, a frozen project, and apps in the library. */
async function furnishOperators(page: Page, system: System, operatorOrigin: string): Promise<void> {
  const operator = operatorOf(system)
  const { data } = listSchema.parse(bodyOf(await operator.get('/operator/v1/devices')))
  const send = senderOf(page)
  const free = data.find(({ phone_id: phone }) => phone === null)?.id ?? ''
  await send('POST', `/operator/devices/${free}/maintenance`, { note: 'New battery on Friday' })
  const made = bodyOf(await operator.post('/operator/v1/projects', { name: 'Shop (trial)' }), 201)
  const { id } = z.object({ id: z.string() }).parse(made)
  await send('PATCH', `/operator/projects/${id}`, { frozen: true, credit_usd: '25' })
  const signer = await newSigner('the pictures')
  await page.goto(`${operatorOrigin}/console/operator/library`)
  for (const [name, label, versionCode] of [
    ['org.example.shop', 'Example Shop', 42],
    ['org.example.maps', 'Example Maps', 7],
  ] as const) {
    const apk = makeApk({ package: name, label, versionCode, versionName: `${versionCode}.1` }, signer)
    await addToLibrary(page, [apk], label)
  }
}

/** Servers outside of the service. */
interface Outside {
  stripe: StripePages
  receiver: WebhookReceiver
}

/** A project with phones, keys, webhooks and members. Returns its path. */
async function furnish(
  browser: Browser,
  page: Page,
  system: System,
  { stripe, receiver }: Outside,
): Promise<string> {
  const project = system.up.project.id
  const origin = new URL(system.up.console_url).origin
  const send = senderOf(page)
  const of = `/projects/${project}`
  const made = await send('POST', `${of}/webhooks`, { url: receiver.url, description: 'agents' })
  receiver.secret = String(made['secret'])
  await send('POST', `${of}/webhooks`, {
    ...{ url: 'https://agents.example.com/phonerack', description: 'staging', events: ['phone.failed'] },
  })
  let phone = ''
  for (const name of ['release 4.2', 'price watch', phoneName])
    phone = String((await send('POST', `${of}/phones`, { name }))['id'])
  await useAsAgent(system, phone)
  // Its session is in the usage.
  const parked = String((await send('POST', `${of}/phones`, { name: 'nightly run' }))['id'])
  await page.waitForTimeout(5000)
  await send('POST', `${of}/phones/${parked}/park`, {})
  await send('POST', `${of}/keys`, { name: 'nightly', preset: 'admin', expires: 'never' })
  await send('POST', `${of}/keys`, { name: 'dashboard', preset: 'read-only', expires: '1y' })
  await send('POST', `${of}/checkouts`, { amount_usd: 50 })
  await stripe.confirm(system.up.base_url)
  await send('POST', '/projects', { name: 'Research' })
  for (const [name, email, role] of [
    ['Vera Example', 'vera@example.com', 'viewer'],
    ['Max Example', 'max@example.com', 'member'],
    ['', 'nina@example.com', 'owner'],
  ] as const) {
    const { url } = await send('POST', `${of}/invitations`, { email, role })
    if (name === '') continue
    const theirs = await newPage(browser, { viewport: sizes[1440] }, [])
    await acceptLink(theirs, String(url), { name })
    await theirs.context().close()
  }
  return `${origin}/console/projects/${project}`
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
  await acceptLink(first, link, { name: 'Olga Example', email: 'olga@example.com' })
  const at = await furnish(browser, first, system, outside)
  const operatorOrigin = await enterOperators(first, 'olga@example.com')
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
  await drawAll(browser, await parts.startSystem({ virtualPhones: 5, env }), { stripe, receiver })
}

await withParts(draw)
