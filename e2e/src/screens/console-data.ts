/** Fills an installation for the pictures of the console: a project in use, and the lists of operators. */
import { makeApk, newSigner } from '@phonerack/virtual-phone/testing/apk'
import { type Browser, type Page } from 'playwright-core'
import { z } from 'zod'
import { bodyOf } from '../conformance/rented.js'
import { acceptLink, addToLibrary, newPage } from '../system/console-pages.js'
import { type StripePages } from '../system/stripe.js'
import { type System } from '../system/system.js'
import { operatorOf } from '../system/tenant.js'
import { type WebhookReceiver } from '../system/webhook-receiver.js'
import { phoneName } from './console-scenes.js'

const listSchema = z.object({
  data: z.array(z.object({ id: z.string(), phone_id: z.string().nullable() })),
})

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

/** The person whose pages are shown. */
export const ownerEmail = 'olga@example.com'

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
export async function furnishOperators(page: Page, system: System, operatorOrigin: string): Promise<void> {
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
export interface Outside {
  stripe: StripePages
  receiver: WebhookReceiver
}

/** A project with phones, keys, webhooks and members. Returns its path. */
export async function furnish(
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
  // With a phone in another project of hers.
  const { id: research } = await send('POST', '/projects', { name: 'Research' })
  await operatorOf(system).patch(`/operator/v1/projects/${String(research)}`, { credit_usd: '20' })
  await send('POST', `/projects/${String(research)}/phones`, { name: 'survey of shops' })
  const { url: own } = await send('POST', `${of}/invitations`, { email: ownerEmail, role: 'owner' })
  await send('POST', '/invitations/accept', { token: String(own).split('#')[1] })
  for (const [name, email, role] of [
    ['Vera Example', 'vera@example.com', 'viewer'],
    ['Max Example', 'max@example.com', 'member'],
    ['', 'nina@example.com', 'owner'],
  ] as const) {
    const { url } = await send('POST', `${of}/invitations`, { email, role })
    if (name === '') continue
    const theirs = await newPage(browser, { viewport: { width: 1440, height: 900 } }, [])
    await acceptLink(theirs, String(url), { name })
    await theirs.context().close()
  }
  return `${origin}/console/projects/${project}`
}
