/**
 * A phone in the console, in a real Chromium: its live view, an agent's actions, a member's actions, and the
 * phone's end.
 */
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import {
  acceptLink,
  axeFindings,
  becomeOperator,
  consolePassword,
  dialogFindings,
  loaded,
  newPage,
  rentPhone,
} from './system/console-pages.js'
import { type System } from './system/system.js'
import { eventually } from './system/tenant.js'

const run = Date.now().toString(36)
const wide = { viewport: { width: 1440, height: 900 } }

let system: System
let browser: Browser
let owner: Page
let viewer: Page
/** The phone's ID and name. */
let phone = ''
const name = `console phone ${run}`
const complaints: string[] = []
const viewerEmail = `walt-${run}@example.com`

beforeAll(async () => {
  system = inject('system')
  browser = await openBrowser()
  owner = await newPage(browser, wide, complaints)
  await becomeOperator(owner, system, { name: 'Paul', email: `paul-${run}@example.com` })
  await owner.goto(`${new URL(owner.url()).origin}/console/projects/${system.up.project.id}/members`)
  await owner.getByRole('button', { name: 'Invite' }).click()
  const dialog = owner.getByRole('dialog')
  await dialog.getByLabel('E-mail address').fill(viewerEmail)
  await dialog.getByLabel('Role').selectOption('viewer')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.locator('code').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  viewer = await newPage(browser, wide, complaints)
  await acceptLink(viewer, link, { name: 'Walt' })
}, 200_000)
afterAll(async () => {
  await browser.close()
})

interface Answer {
  status: number
  body: {
    note?: string
    last_active_at?: string | null
    session?: { parks_at: string } | null
    error?: { code: string; next: string | null }
  }
}

/** Sends a request to the phone as an agent. */
async function asAgent(method: string, path: string, sent?: object): Promise<Answer> {
  const answer = await fetch(`${system.up.base_url}${path}`, {
    method,
    headers: { authorization: `Bearer ${system.up.keys.admin}`, 'content-type': 'application/json' },
    ...(sent ? { body: JSON.stringify(sent) } : {}),
  })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

const act = (actions: object[]): Promise<Answer> =>
  asAgent('POST', `/v1/phones/${phone}/actions`, { actions, observe: 'text' })

const tab = (page: Page, name: string) => page.getByRole('tab', { name })

const liveOf = (page: Page) => page.frameLocator('iframe[title^="Live view"]')

it('is rented, watched and followed', async () => {
  await owner.getByRole('link', { name: 'Phones' }).click()
  await rentPhone(owner, name)
  await owner.getByRole('link', { name }).click()
  await owner.getByRole('heading', { level: 1, name }).waitFor()
  phone = /phones\/(ph_\w+)/.exec(owner.url())?.[1] ?? ''

  // The live view of an owner accepts input; the live view of a viewer only shows the phone.
  await liveOf(owner).locator('body[data-state="live"]').waitFor()
  expect(await liveOf(owner).getByText('Watch only').isVisible()).toBe(false)
  await viewer.goto(owner.url())
  await liveOf(viewer).locator('body[data-state="live"]').waitFor()
  expect(await liveOf(viewer).getByText('Watch only').isVisible()).toBe(true)
  expect(await viewer.getByRole('button', { name: /^(Park|Delete)/ }).count()).toBe(0)

  // The timeline follows the agent.
  const opened = await act([{ type: 'home' }, { type: 'open_app', package: 'com.android.settings' }])
  expect(opened.status).toBe(200)
  const step = viewer.getByRole('list', { name: 'Steps' }).locator('> li').first()
  await step.getByText('open app').waitFor()
  await step.getByText('succeeded').waitFor()
  await step.getByRole('button', { name: 'Screen as text' }).click()
  await step.locator('pre').getByText('app com.android.settings').waitFor()

  expect(await axeFindings(owner)).toEqual([])
})

it('has a thumbnail that follows the agent and does not keep the phone running', async () => {
  const project = /projects\/([^/]+)/.exec(owner.url())?.[1] ?? ''
  const parksAt = async () => (await asAgent('GET', `/v1/phones/${phone}`)).body.session?.parks_at
  const activeAt = async () => (await asAgent('GET', `/v1/phones/${phone}`)).body.last_active_at
  const wall = await owner.context().newPage()
  let requests = 0
  wall.on('request', (request) => {
    if (request.url().endsWith(`/${phone}/thumbnail`)) requests += 1
  })
  await wall.goto(`${new URL(owner.url()).origin}/console/projects/${project}/phones`)
  await wall.getByRole('button', { name: 'Wall' }).click()
  await wall.waitForURL(/[?&]view=wall/)
  const picture = wall.getByRole('img', { name: `Screen of ${name}` })
  await act([{ type: 'home' }])
  await picture.waitFor()
  const before = await picture.getAttribute('src')
  const actedAt = new Date().toISOString()
  await act([{ type: 'open_app', package: 'com.android.settings' }])
  await eventually('the picture changes', 100_000, async () => (await picture.getAttribute('src')) !== before)
  expect(await axeFindings(wall)).toEqual([])

  // The URL keeps the choice.
  await wall.reload()
  await picture.waitFor()
  // Activity is written every 15 seconds.
  await eventually('the activity is written', 60_000, async () => ((await activeAt()) ?? '') >= actedAt)
  const [parks, asked] = [await parksAt(), requests]
  await wall.waitForTimeout(16_000)
  expect(await parksAt()).toBe(parks)
  expect(requests - asked).toBeGreaterThanOrEqual(5)
  await picture.click()
  await wall.getByRole('heading', { level: 1, name }).waitFor()
  await wall.close()
})

it('is taken over by a member while an agent works, and handed back with a note', async () => {
  let isOver = false
  const refused: string[] = []
  const agent = async (): Promise<string | undefined> => {
    for (;;) {
      const { status, body } = await act([{ type: 'home' }])
      if (status === 200 && refused.length > 0) return undefined
      if (isOver) return 'the phone did not come back'
      if (body.error?.code !== 'phone_controlled') continue
      refused.push(body.error.code)
      // The refusal names the request that waits for the person.
      const waiting = await asAgent('GET', (body.error.next ?? '').replace('GET ', ''))
      if (waiting.body.note !== undefined) return waiting.body.note
    }
  }
  const working = agent()
  await owner.getByRole('button', { name: 'Take over' }).click()
  await owner.getByText('You control the phone.').waitFor()
  await viewer.getByText('Paul controls the phone.').waitFor()
  expect(await viewer.getByRole('button', { name: /^(Take over|Hand back)/ }).count()).toBe(0)
  await eventually('the agent is refused', 100_000, () => Promise.resolve(refused.length > 0))
  const handBack = owner.getByRole('button', { name: 'Hand back…' })
  await handBack.click()
  expect(await dialogFindings(owner, handBack)).toEqual([])
  await handBack.click()
  await owner.getByLabel('Note for the agent').fill('<b>The pop-up</b> is gone.')
  await owner.getByRole('dialog').getByRole('button', { name: 'Hand back' }).click()
  await owner.getByText('Agents control the phone.').waitFor()
  expect(await working).toBe('<b>The pop-up</b> is gone.')
  isOver = true
  expect((await act([{ type: 'home' }])).status).toBe(200)
})

it('installs an app that is dropped on the page, with its progress', async () => {
  const hostile = '<img src=x onerror=alert(1)>.apk'
  const apk = makeApk({ package: 'org.example.dropped', versionCode: 1 }, await newSigner('dropped'))
  const files = await owner.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    const bytes = Uint8Array.from(atob('${apk.toString('base64')}'), (character) => character.charCodeAt(0))
    transfer.items.add(new File([bytes], ${JSON.stringify(hostile)}))
    return transfer
  })()`)
  await owner.dispatchEvent('main', 'dragenter', { dataTransfer: files })
  await owner.getByText('Drop to send to the phone').waitFor()
  await owner.dispatchEvent('main', 'drop', { dataTransfer: files })
  const transfers = owner.getByRole('list', { name: 'Transfers' })
  await transfers.getByText(hostile).waitFor()
  await transfers.getByText('org.example.dropped is installed').waitFor()
  await tab(viewer, 'Apps').click()
  await viewer.getByRole('list', { name: 'Installs' }).getByText('org.example.dropped').waitFor()
})

it('shows the elements of the screen over its picture, with targets to copy', async () => {
  await act([{ type: 'open_app', package: 'com.android.settings' }, { type: 'wait_idle' }])
  await tab(viewer, 'Screen').click()
  const elements = viewer.getByRole('list', { name: 'Elements' })
  await elements.getByRole('button').first().waitFor()
  await viewer.getByLabel('The screen as text').getByText('app com.android.settings').waitFor()
  const last = elements.getByRole('button').last()
  const ref = /^\d+/.exec((await last.getAttribute('aria-label')) ?? '')?.[0]
  await last.click()
  await viewer
    .getByRole('region', { name: `Element ${ref}` })
    .getByText(`{"ref":${ref},"snapshot_id"`)
    .waitFor()
  expect(await axeFindings(viewer)).toEqual([])
})

it('plays a recording that a member made', async () => {
  await tab(owner, 'Recordings').click()
  await owner.getByRole('button', { name: 'Record', exact: true }).click()
  const stop = owner.getByRole('button', { name: 'Stop recording' })
  await stop.waitFor()
  await act([
    { type: 'home' },
    { type: 'wait', ms: 1000 },
    { type: 'open_app', package: 'com.android.settings' },
  ])
  await stop.click()
  await tab(viewer, 'Recordings').click()
  await viewer.getByRole('button', { name: /^Play/ }).click()
  await eventually('the video plays', 100_000, () =>
    viewer.evaluate<boolean>("document.querySelector('video').currentTime > 0.3"),
  )
})

it('has no findings of axe in any tab', async () => {
  const findings: string[] = []
  for (const name of ['Steps', 'Apps', 'Files', 'Clipboard', 'Log', 'Location', 'Details']) {
    await tab(owner, name).click()
    await loaded(owner)
    findings.push(...(await axeFindings(owner, '[role=tabpanel]')).map((finding) => `${name} ${finding}`))
  }
  expect(findings).toEqual([])
})

it('ends with the sign-in, the park and the deletion', async () => {
  // A sign-out in another window ends the page, and its view, within seconds.
  const other = await newPage(browser, wide, complaints)
  await other.goto(`${new URL(owner.url()).origin}/console/sign-in`)
  await other.getByLabel('E-mail address').fill(viewerEmail)
  await other.getByLabel('Password').fill(consolePassword)
  await other.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.getByRole('button', { name: 'Account and theme' }).waitFor()
  await other.goto(`${new URL(owner.url()).origin}/console/account`)
  await other.getByRole('button', { name: /^End the sign-in/ }).click()
  await viewer.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  // Each refused request leads to the sign-in page once, and back to the phone.
  expect(new URL(viewer.url()).searchParams.get('next')).toMatch(/^\/projects\//)

  await owner.getByRole('button', { name: 'Park' }).click()
  await owner.getByText('The phone is parked, and costs nothing').waitFor()
  await owner.getByRole('button', { name: 'Start' }).click()
  await liveOf(owner).locator('body[data-state="live"]').waitFor()
  await owner.getByRole('button', { name: 'Delete…' }).click()
  await owner.getByRole('alertdialog').getByRole('button', { name: 'Delete phone' }).click()
  await owner.getByRole('heading', { level: 1, name: 'Phones' }).waitFor()
  await eventually('the phone is gone from the list', 100_000, async () => {
    const rows = await owner.getByRole('list', { name: 'Phones', exact: true }).getByText(name).count()
    return rows === 0
  })
})

it('had no error, and violated no policy', () => {
  // The viewer's page sent another request after its sign-in had ended, and possibly no phone was free at
  // first.
  expect(complaints.filter((text) => !/status of (401|403|404|503)/.test(text))).toEqual([])
})
