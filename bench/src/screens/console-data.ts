/**
 * Fills an installation for the pictures of the console: a project in use, an empty project, and a project
 * that is out of credit.
 */
import { setTimeout } from 'node:timers/promises'
import { type Browser, type Page } from 'playwright-core'
import { z } from 'zod'
import { type MailServer } from '@phonerack/shared/testing/mail-server'
import { acceptLink, newPage } from '@phonerack/e2e/system/console-pages.js'
import { Api } from '@phonerack/e2e/system/api.js'
import { type StripePages } from '@phonerack/e2e/system/stripe.js'
import { type System } from '@phonerack/e2e/system/system.js'
import { eventually, newKey, operatorOf, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { type WebhookReceiver } from '@phonerack/e2e/system/webhook-receiver.js'

/** The phones: a phone in use, a phone whose agent asks for help, and a parked phone. */
export const phoneName = 'checkout tests'
export const helpName = 'price watch'
export const trialName = 'nightly run'

/** The person whose pages are drawn. */
export const ownerEmail = 'olga@example.com'

/** Servers outside the service. */
export interface Outside {
  stripe: StripePages
  receiver: WebhookReceiver
  mail: MailServer
}

/** Addresses in the pictures. */
export interface Furnished {
  /** The project in use, an empty project, and a project with little credit. */
  at: string
  empty: string
  low: string
  setupUrl: string
  consentUrl: string
  /** The code of another terminal that asks for a key. */
  terminal: () => Promise<string>
}

const created = z.object({ id: z.string() })

export type Send = (method: string, at: string, body: object) => Promise<Record<string, unknown>>

/** Sends requests of the console, as its page does. */
export const senderOf =
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

/** Uses a phone like an agent, and records it. */
async function useAsAgent(agent: Api, phone: string): Promise<void> {
  const act = (actions: object[], observe: string) =>
    agent.post(`/v1/phones/${phone}/actions`, { actions, observe })
  const put = (name: string, body: Uint8Array) =>
    agent.request('PUT', `/v1/phones/${phone}/files?path=/sdcard/Download/${name}`, {
      body,
      headers: { 'content-type': 'application/octet-stream' },
    })
  await agent.post(`/v1/phones/${phone}/start`, {})
  const recording = created.parse(
    (await agent.post(`/v1/phones/${phone}/recordings`, { name: 'checkout, run 318' })).body,
  )
  await act([{ type: 'home' }], 'text')
  await act([{ type: 'open_app', package: 'com.phonerack.shop' }, { type: 'wait_idle' }], 'both')
  await setTimeout(3000)
  await act([{ type: 'open_app', package: 'com.android.settings' }, { type: 'wait_idle' }], 'both')
  await act([{ type: 'tap', target: { text: 'No such row' } }], 'text')
  await agent.post(`/v1/phones/${phone}/recordings/${recording.id}/stop`, {})
  await put('order-1042.json', Buffer.from(JSON.stringify({ order: 1042, state: 'paid' })))
  await put('receipt.pdf', Buffer.alloc(184_320, 'receipt'))
  await put('products.csv', Buffer.from('name,price\n'.repeat(400)))
}

/** Creates a project that has credit for about an hour, and runs a phone. */
async function startTrial(system: System): Promise<string> {
  const operator = operatorOf(system)
  const { id } = created.parse((await operator.post('/operator/v1/projects', { name: 'Trial' })).body)
  await operator.patch(`/operator/v1/projects/${id}`, { credit_usd: '5', spend_limit_usd: '20' })
  const agent = new Api(system.up.base_url, await newKey(system, id, 'admin'))
  await readyPhone(agent, { name: 'first steps', max_duration: 3600 })
  return id
}

/** Registers an app that asks for access. Returns the URL to which the app sends the browser. */
async function askForAccess({ up }: System): Promise<string> {
  const redirect = 'https://claude.ai/api/mcp/auth_callback'
  const answer = await fetch(`${up.base_url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Claude', redirect_uris: [redirect] }),
  })
  const { client_id: client } = z.object({ client_id: z.string() }).parse(await answer.json())
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    state: 'x',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: up.mcp_url,
  })
  return `${up.base_url}/oauth/authorize?${query.toString()}`
}

async function askAsTerminal({ up }: System): Promise<string> {
  const answer = await fetch(`${up.base_url}/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client: 'phonerack 1.0 on build-3' }),
  })
  return z.object({ user_code: z.string() }).parse(await answer.json()).user_code
}

/** Returns the link of an invitation from its mail. */
async function linkFor(email: string, { mails }: MailServer): Promise<string> {
  let link: string | undefined
  await eventually('the mail of the invitation', 20_000, () => {
    const mail = mails.find(({ to }) => to.includes(email))
    link = /http\S+#pri_[\w-]{43}/.exec(mail?.text ?? '')?.[0]
    return Promise.resolve(link !== undefined)
  })
  return link ?? ''
}

async function invite(browser: Browser, send: Send, of: string, mail: MailServer): Promise<void> {
  for (const [name, email, role] of [
    ['Vera Example', 'vera@example.com', 'viewer'],
    ['Max Example', 'max@example.com', 'member'],
    ['', 'nina@example.com', 'owner'],
  ] as const) {
    await send('POST', `${of}/invitations`, { email, role })
    if (name === '') continue
    const theirs = await newPage(browser, { viewport: { width: 1440, height: 900 } }, [])
    await acceptLink(theirs, await linkFor(email, mail), { name })
    await theirs.context().close()
  }
}

/** Creates a project with phones, keys, webhooks and members, and two other projects. */
export async function furnish(
  browser: Browser,
  page: Page,
  system: System,
  { stripe, receiver, mail }: Outside,
): Promise<Furnished> {
  const { id: project } = system.up.project
  const origin = new URL(system.up.console_url).origin
  const agent = new Api(system.up.base_url, system.up.keys.admin)
  const send = senderOf(page)
  const of = `/projects/${project}`
  const made = await send('POST', `${of}/webhooks`, { url: receiver.url, description: 'agents' })
  receiver.secret = String(made['secret'])
  await send('POST', `${of}/webhooks`, {
    url: 'https://agents.example.com/phonerack',
    description: 'staging',
    events: ['phone.failed'],
  })
  await readyPhone(agent, { name: 'release 4.2', metadata: { branch: 'release/4.2', run: '318' } })
  const help = await readyPhone(agent, { name: helpName })
  const { id: phone } = await readyPhone(agent, { name: phoneName })
  await useAsAgent(agent, phone)
  await agent.post(`/v1/phones/${help.id}/handoffs`, {
    message: 'The shop asks for a code that it sent by SMS. Please enter it, and hand the phone back.',
  })
  // The session of this phone is in the usage.
  const parked = await readyPhone(agent, { name: trialName })
  await setTimeout(5000)
  await agent.post(`/v1/phones/${parked.id}/park`, {})
  await send('POST', `${of}/keys`, { name: 'nightly', preset: 'admin', expires: 'never' })
  await send('POST', `${of}/keys`, { name: 'dashboard', preset: 'read-only', expires: '1y' })
  await send('POST', `${of}/checkouts`, { amount_usd: 50 })
  await stripe.confirm(system.up.base_url)
  const research = await send('POST', '/projects', { name: 'Research' })
  await operatorOf(system).patch(`/operator/v1/projects/${String(research['id'])}`, { credit_usd: '25' })
  // The person also has a phone in another of her projects.
  const surveys = String((await send('POST', '/projects', { name: 'Surveys' }))['id'])
  await operatorOf(system).patch(`/operator/v1/projects/${surveys}`, { credit_usd: '20' })
  await send('POST', `/projects/${surveys}/phones`, { name: 'survey of shops' })
  await send('POST', `${of}/invitations`, { email: ownerEmail, role: 'owner' })
  await send('POST', '/invitations/accept', { token: (await linkFor(ownerEmail, mail)).split('#')[1] })
  await invite(browser, send, of, mail)
  const projects = `${origin}/console/projects`
  return {
    at: `${projects}/${project}`,
    empty: `${projects}/${String(research['id'])}`,
    low: `${projects}/${await startTrial(system)}`,
    setupUrl: `${system.up.base_url}/setup`,
    consentUrl: await askForAccess(system),
    terminal: () => askAsTerminal(system),
  }
}
