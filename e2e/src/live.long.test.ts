/** A person's live view of a virtual phone, in a real Chromium: what is on the page, and what reaches the phone. */
import { hashSecret } from '@phonerack/shared'
import pg from 'pg'
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { act, look, rent, tap, type Rented } from './conformance/rented.js'
import { forLater } from './system/api.js'
import { openBrowser } from './system/browser.js'
import { databaseUrl } from './system/database.js'
import {
  closesOf,
  coloursOf,
  desktop,
  digestOf,
  keepCloses,
  mobile,
  newPage,
  pointOn,
} from './system/live-pages.js'
import { eventually, startAgain } from './system/tenant.js'

/** Milliseconds; generous for a loaded machine. */
const patience = 60_000
const smallest = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true }
const linkSchema = z.strictObject({ url: z.url(), expires_at: z.iso.datetime() })

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

async function newLink(body: object = {}): Promise<string> {
  const answer = await phone.api.post(`${phone.path}/live`, body)
  expect(answer.status).toBe(201)
  return linkSchema.parse(answer.body).url
}

/** @param without features that this browser lacks */
async function open(url: string, context: object = desktop, without: string[] = []): Promise<Page> {
  const page = await newPage(browser, context, complaints)
  await page.addInitScript({ content: keepCloses + without.map((name) => `delete window.${name};`).join('') })
  await page.goto(url)
  return page
}

const becomes = (page: Page, state: 'live' | 'over'): Promise<unknown> =>
  page.waitForSelector(`body[data-state="${state}"]`, { timeout: patience })

async function openLive(url: string, context: object = desktop, without: string[] = []): Promise<Page> {
  const page = await open(url, context, without)
  await becomes(page, 'live')
  return page
}

const isWide = async (page: Page): Promise<boolean> => {
  const [width, height] = await Promise.all(
    ['width', 'height'].map(async (name) => Number(await page.locator('canvas').getAttribute(name))),
  )
  return (width ?? 0) > (height ?? 0)
}

/** Where on the page a point of the phone is. */
const placeOf = async (page: Page, point: readonly [number, number]) =>
  pointOn(page, (await look(phone)).screen, point)

async function centreOf(what: { text?: string; desc?: string }): Promise<readonly [number, number]> {
  const seen = await look(phone)
  const element = seen.elements.find(({ text, desc }) =>
    what.text === undefined ? desc === what.desc : text === what.text || desc === what.text,
  )
  if (!element) throw new Error(`no ${JSON.stringify(what)} on\n${seen.text}`)
  return element.center
}

async function turnsAndBack(page: Page): Promise<void> {
  await page.click('#rotate')
  await eventually('the picture is wide', patience, () => isWide(page))
  expect(await coloursOf(page)).toBeGreaterThan(1)
  await page.click('#rotate')
  await eventually('the picture is tall again', patience, async () => !(await isWide(page)))
}

const shows = (text: string): Promise<void> =>
  eventually(`the phone shows ${text}`, patience, async () => (await look(phone)).text.includes(text))

describe('the live view', () => {
  it('shows the screen, and a tap on it opens an app; Home leads back', async () => {
    await act(phone, { type: 'home' })
    const page = await openLive(await newLink())
    expect(await coloursOf(page)).toBeGreaterThan(50)
    const { x, y } = await placeOf(page, await centreOf({ text: 'Notes' }))
    await page.mouse.click(x, y)
    await eventually(
      'Notes opens',
      patience,
      async () => (await look(phone)).app.package === 'com.phonerack.notes',
    )
    await page.click('#home')
    await eventually('Home is back', patience, async () => (await look(phone)).text.includes('Contacts'))
    await page.context().close()
  })

  it('types what is typed, with the keys that edit, and pastes', async () => {
    await act(phone, { type: 'open_app', package: 'com.phonerack.notes' }, tap({ desc: 'New note' }))
    const page = await openLive(await newLink())
    const { x, y } = await placeOf(page, await centreOf({ text: 'Title' }))
    await page.mouse.click(x, y)
    await eventually('the field has the focus', patience, async () =>
      (await look(phone)).elements.some(({ state }) => state.includes('focused')),
    )
    await page.keyboard.type('Grüße')
    await shows('Grüße')
    await page.keyboard.press('Backspace')
    await shows('"Grüß"')
    await page.click('#paste')
    await page.fill('#paste-text', ', 世界 👋')
    await page.click('#paste-dialog .loud')
    await shows('Grüß, 世界 👋')
    await page.context().close()
  })

  it('turns with the phone', async () => {
    const page = await openLive(await newLink())
    expect(await isWide(page)).toBe(false)
    await turnsAndBack(page)
    await page.context().close()
  })

  it('plays where the browser has no WebCodecs: shows, is tapped, turns', async () => {
    await act(phone, { type: 'home' })
    const page = await openLive(await newLink(), desktop, ['VideoDecoder'])
    expect(await page.locator('video').count()).toBe(1)
    expect(await coloursOf(page)).toBeGreaterThan(50)
    const { x, y } = await placeOf(page, await centreOf({ text: 'Notes' }))
    const before = await digestOf(page)
    await page.mouse.click(x, y)
    await eventually(
      'Notes opens',
      patience,
      async () => (await look(phone)).app.package === 'com.phonerack.notes',
    )
    await eventually('the page shows it', patience, async () => (await digestOf(page)) !== before)
    await turnsAndBack(page)
    await page.context().close()
  })

  it('says so where the browser can play nothing', async () => {
    const page = await open(await newLink(), desktop, ['VideoDecoder', 'MediaSource', 'ManagedMediaSource'])
    await becomes(page, 'over')
    expect(await page.locator('#cover').innerText()).toContain('This browser cannot play the video')
    await page.context().close()
  })

  it('lets a second person watch on a phone, and a link without control takes no input', async () => {
    await act(phone, { type: 'home' })
    const first = await openLive(await newLink())
    const second = await openLive(await newLink({ control: false }), mobile)
    expect(await coloursOf(second)).toBeGreaterThan(50)
    expect(await second.locator('#mode').isVisible()).toBe(true)
    expect(await second.locator('#home').isVisible()).toBe(false)
    const notes = await placeOf(second, await centreOf({ text: 'Notes' }))
    await second.touchscreen.tap(notes.x, notes.y)
    const shop = await placeOf(first, await centreOf({ text: 'Shop' }))
    await first.mouse.click(shop.x, shop.y)
    // If the second person's tap had opened Notes, this one would hit a note.
    await eventually(
      'Shop opens',
      patience,
      async () => (await look(phone)).app.package === 'com.phonerack.shop',
    )
    await first.context().close()
    await second.context().close()
  })

  it('fits on the narrowest phone, and wakes a phone whose screen is off', async () => {
    const page = await openLive(await newLink(), smallest)
    const edges = await page.evaluate<number[]>(
      `[...document.querySelectorAll('header > *, #device, #controls, #controls button')]
        .filter((each) => each.checkVisibility())
        .flatMap((each) => [each.getBoundingClientRect().left, each.getBoundingClientRect().right])`,
    )
    expect(edges.length).toBeGreaterThan(10)
    expect(Math.min(...edges)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...edges)).toBeLessThanOrEqual(320)
    await act(phone, { type: 'key', key: 'power' })
    await page.click('#wake', { timeout: patience })
    await page.waitForSelector('#cover', { state: 'hidden', timeout: patience })
    await eventually('the screen is on', patience, async () => (await coloursOf(page)) > 50)
    await page.context().close()
  })

  it('says why the picture is black, as long as it is', async () => {
    await act(phone, { type: 'open_app', package: 'com.phonerack.trouble' })
    const page = await openLive(await newLink())
    const panel = page.locator('#secure')
    expect(await panel.isVisible()).toBe(false)
    const { x, y } = await placeOf(page, await centreOf({ text: 'Secure screen' }))
    await page.mouse.click(x, y)
    await panel.waitFor({ state: 'visible', timeout: patience })
    expect(await panel.innerText()).toContain('forbids pictures')
    await page.click('#home')
    await panel.waitFor({ state: 'hidden', timeout: patience })
    await page.context().close()
  })

  it('comes back by itself after the phone’s reboot', async () => {
    const pages = [await openLive(await newLink()), await openLive(await newLink(), mobile, ['VideoDecoder'])]
    const waiting = forLater(
      Promise.all(
        pages.map((page) => page.waitForSelector('body[data-state="connecting"]', { timeout: patience })),
      ),
    )
    expect((await phone.api.post(`${phone.path}/reboot`)).status).toBe(202)
    await waiting
    for (const page of pages) expect((await closesOf(page))[0]).toBe(4100)
    for (const page of pages) {
      await becomes(page, 'live')
      await eventually('a picture', patience, async () => (await coloursOf(page)) > 50)
      await page.context().close()
    }
  })

  it('ends with its link', async () => {
    const url = await newLink()
    const client = new pg.Client({ connectionString: await databaseUrl(inject('system')) })
    await client.connect()
    const page = await openLive(url)
    await client.query('update live_links set expires_at = now() where token_hash = $1', [
      hashSecret(new URL(url).hash.slice(1)),
    ])
    await client.end()
    await becomes(page, 'over')
    expect(await page.locator('#cover').innerText()).toContain('expired')
    await page.reload()
    await becomes(page, 'over')
    await page.context().close()
  })

  it('ends with the phone’s session, and with the phone', async () => {
    const ends = async (code: number, word: string, end: () => Promise<unknown>) => {
      const page = await openLive(await newLink())
      await end()
      await becomes(page, 'over')
      expect(await closesOf(page)).toEqual([code])
      expect(await page.locator('#cover').innerText()).toContain(word)
      await page.context().close()
    }
    await ends(4003, 'parked', () => phone.api.post(`${phone.path}/park`))
    expect((await startAgain(phone.api, phone.id, { max_duration: 3600 })).status).toBe('ready')
    await ends(4004, 'deleted', () => phone.api.delete(phone.path))
  })

  it('has no error in any page', () => {
    expect(complaints, complaints.join('\n')).toEqual([])
  })
})
