/**
 * A hand-over with a real Chromium: an agent requests it, and a person reads the request, takes control, and
 * gives the virtual phone back.
 */
import pg from 'pg'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { act, bodyOf, look, rent, type Rented } from './conformance/rented.js'
import { errorOf } from './system/api.js'
import { openBrowser } from './system/browser.js'
import { databaseUrl } from './system/database.js'
import { desktop, mobile, newPage, pointOn } from './system/live-pages.js'
import { eventually } from './system/tenant.js'

/** Milliseconds; generous for a loaded machine. */
const patience = 60_000
const message = 'Please sign in to the bank.\nThe code comes by message. <b>Thank you!</b>'

const handoffSchema = z.object({
  id: z.string(),
  status: z.string(),
  note: z.string().nullable(),
  taken_at: z.string().nullable(),
  ended_at: z.string().nullable(),
})

let phone: Rented
let browser: Browser
/** The pages' errors and violations of their content security policy. */
const complaints: string[] = []

beforeAll(async () => {
  ;[phone, browser] = await Promise.all([rent(inject('system')), openBrowser()])
}, 200_000)
afterAll(async () => {
  await browser.close()
  await phone.api.delete(phone.path)
})

async function handOver(body: object = {}): Promise<{ url: string; path: string }> {
  const answer = await phone.api.post(`${phone.path}/handoffs`, { message, ...body })
  const { id, url } = z.object({ id: z.string(), url: z.url() }).parse(bodyOf(answer, 201))
  return { url, path: `${phone.path}/handoffs/${id}` }
}
const read = async (path: string) => handoffSchema.parse(bodyOf(await phone.api.get(path)))
const isFree = () => act(phone, { type: 'home' })

/** The agent's error when it continues without the phone. */
async function refusal() {
  const answer = await phone.api.post(`${phone.path}/actions`, { actions: [{ type: 'home' }] })
  expect(answer.status).toBe(409)
  return { ...errorOf(answer), retryAfter: Number(answer.headers.get('retry-after')) }
}

/** Opens the page with the phone's picture, or with the text instead of the picture. */
async function open(url: string, context: object = desktop): Promise<Page> {
  const page = await newPage(browser, context, complaints)
  await page.goto(url)
  await page.waitForSelector('body:not([data-state="connecting"])', { timeout: patience })
  return page
}

const isOver = async (page: Page, text: string): Promise<void> => {
  await page.waitForSelector('body[data-state="over"]', { timeout: patience })
  expect(await page.locator('#cover').innerText()).toContain(text)
  expect(await page.locator('#handoff').isVisible()).toBe(false)
  await page.context().close()
}

/** Returns where on the page an icon of the phone's home screen is. */
async function placeOf(page: Page, icon: string): Promise<{ x: number; y: number }> {
  const { screen, elements, text } = await look(phone)
  const element = elements.find((each) => each.text === icon || each.desc === icon)
  if (!element) throw new Error(`no ${icon} on\n${text}`)
  return pointOn(page, screen, element.center)
}
const front = async (): Promise<string> => (await look(phone)).app.package

/** While `hold` is set, decoded frames reach the page only when `release` is called. */
const holdFrames = `window.hold = false
window.held = []
window.release = () => held.splice(0).forEach((show) => show())
window.VideoDecoder = class extends VideoDecoder {
  constructor({ output, error }) {
    super({ error, output: (frame) => (hold ? held.push(() => output(frame)) : output(frame)) })
  }
}
`

describe('a person in a browser', () => {
  it('reads the request, takes control, and gives the phone back with a note [27.14]', async () => {
    const { url, path } = await handOver()
    const page = await open(url)
    expect(await page.locator('#handoff-message').innerText()).toBe(message)
    expect(await page.locator('#home').isVisible()).toBe(false)
    // No person has control: the agent continues, and the person's taps are ignored.
    await isFree()
    const notes = await placeOf(page, 'Notes')
    await page.mouse.click(notes.x, notes.y)
    expect((await read(path)).status).toBe('open')

    await page.click('#handoff-take')
    await page.waitForSelector('#handoff-done', { timeout: patience })
    expect((await read(path)).status).toBe('taken')
    const { code, retryable, next, retryAfter } = await refusal()
    expect([code, retryable, next]).toEqual(['phone_controlled', true, `GET ${path}?wait=done`])
    expect(retryAfter).toBeGreaterThan(0)
    // The agent sees the effects of the person's actions.
    expect((await look(phone)).text).toContain('Contacts')
    const shop = await placeOf(page, 'Shop')
    await page.mouse.click(shop.x, shop.y)
    await eventually('Shop opens', patience, async () => (await front()) === 'com.phonerack.shop')

    const waiting = phone.api.get(next?.replace('GET ', '') ?? '')
    await page.click('#handoff-done')
    await page.fill('#handoff-note', 'I am in. 👋')
    await page.click('#handoff-send')
    const done = handoffSchema.parse(bodyOf(await waiting))
    expect([done.status, done.note, done.taken_at === null, done.ended_at === null]).toEqual([
      'done',
      'I am in. 👋',
      false,
      false,
    ])
    await isFree()
    expect(await front()).not.toBe('com.phonerack.shop')
    await isOver(page, 'back with the agent')
    await isOver(await open(url), 'back with the agent')
  })

  it('opens a closed page again, on a phone, and declines', async () => {
    const { url, path } = await handOver()
    const first = await open(url, mobile)
    await first.tap('#handoff-take')
    await first.waitForSelector('#handoff-done', { timeout: patience })
    await first.context().close()
    expect((await refusal()).code).toBe('phone_controlled')
    const page = await open(url, mobile)
    await page.tap('#handoff-decline')
    await page.fill('#handoff-note', 'I have no card.')
    await page.tap('#handoff-send')
    await isOver(page, 'back with the agent')
    expect(await read(path)).toMatchObject({ status: 'declined', note: 'I have no card.' })
    await isFree()
  })

  it('loses control when the hand-over expires', async () => {
    const { url, path } = await handOver()
    const page = await open(url)
    await page.click('#handoff-take')
    await page.waitForSelector('#handoff-done', { timeout: patience })
    const client = new pg.Client({ connectionString: await databaseUrl(inject('system')) })
    await client.connect()
    const id = path.split('/').at(-1)
    // The time is a second in the past, since the control plane's reading of Postgres's clock may be
    // milliseconds behind.
    await client.query(
      "update handoffs set created_at = now() - interval '2 s', expires_at = now() - interval '1 s' where id = $1",
      [id],
    )
    await client.query(
      "update live_links set created_at = now() - interval '2 s', expires_at = now() - interval '1 s' where handoff_id = $1",
      [id],
    )
    await client.end()
    await isFree()
    expect(await read(path)).toMatchObject({ status: 'expired', note: null })
    await isOver(page, 'expired')
  })

  it('stays ended when a frame is decoded after the end', async () => {
    const { url, path } = await handOver()
    const page = await newPage(browser, desktop, complaints)
    await page.addInitScript({ content: holdFrames })
    await page.goto(url)
    await page.waitForSelector('body[data-state="live"]', { timeout: patience })
    await page.evaluate('hold = true')
    // Changes the screen, whichever app is on it.
    await act(phone, { type: 'open_app', package: 'com.phonerack.notes' })
    await isFree()
    await page.waitForFunction('held.length > 0', null, { timeout: patience })
    expect((await phone.api.delete(path)).status).toBe(200)
    await page.waitForSelector('body[data-state="over"]', { timeout: patience })
    await page.evaluate('release()')
    await isOver(page, 'no longer needs your help')
  })

  it('shows that the agent withdrew the hand-over, or that the phone was parked', async () => {
    const { url, path } = await handOver()
    const page = await open(url)
    await page.click('#handoff-take')
    await page.waitForSelector('#handoff-done', { timeout: patience })
    expect((await phone.api.delete(path)).status).toBe(200)
    await isOver(page, 'no longer needs your help')
    await isFree()

    const second = await handOver()
    const other = await open(second.url)
    expect((await phone.api.post(`${phone.path}/park`)).status).toBe(200)
    await isOver(other, 'parked')
    expect((await read(second.path)).status).toBe('expired')
  })

  it('keeps the phone awake while the person sees the page; a hidden page warns, and shows that the take-over ended', async () => {
    expect((await phone.api.post(`${phone.path}/start`, { idle_timeout: 60 })).status).toBe(200)
    const { url } = await handOver()
    const page = await open(url)
    await page.click('#handoff-take')
    await page.waitForSelector('#handoff-done', { timeout: patience })
    await page.waitForTimeout(75_000)
    expect(await page.locator('body').getAttribute('data-state')).toBe('live')
    expect(await page.locator('#ending').isVisible()).toBe(false)
    expect(await page.locator('#time-label').innerText()).not.toContain('Parks')

    // Headless pages are always visible.
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { value: true }); document.dispatchEvent(new Event('visibilitychange'))",
    )
    await page.waitForSelector('#ending:not([hidden])', { timeout: patience })
    expect(await page.locator('#ending-text').innerText()).toMatch(
      /^Nobody uses the phone: it parks in \d+ s\.$/,
    )
    await page.click('#keep-awake')
    await page.waitForSelector('#ending', { state: 'hidden', timeout: patience })
    await page.waitForSelector('body[data-state="over"]', { timeout: 2 * patience })
    expect(await page.locator('#cover').innerText()).toContain('Your take-over ended with it.')
    await isOver(page, 'parked')
    expect(complaints, complaints.join('\n')).toEqual([])
  })
})
