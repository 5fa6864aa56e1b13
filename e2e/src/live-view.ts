/**
 * A rented phone and a real Chromium for a file with tests of the live view: its links, its pages, and the
 * state of the phone.
 */
import { type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { z } from 'zod'
import { look, rent, type Rented } from './conformance/rented.js'
import { openBrowser } from './system/browser.js'
import { desktop, keepCloses, newPage, pointOn } from './system/live-pages.js'
import { eventually } from './system/tenant.js'

/** Milliseconds; generous for a loaded machine. */
export const patience = 60_000
const linkSchema = z.strictObject({ url: z.url(), expires_at: z.iso.datetime() })

export type LiveView = ReturnType<typeof liveView>

/** Rents a phone with video before the tests of the file, and deletes it after them. */
export function liveView() {
  let rented: Rented | null = null
  let browser: Browser | null = null
  const running = () => {
    if (rented === null || browser === null) throw new Error('the phone is not rented yet')
    return { phone: rented, browser }
  }
  /** The pages' errors and violations of their content security policy. */
  const complaints: string[] = []
  beforeAll(async () => {
    ;[rented, browser] = await Promise.all([rent(inject('system'), true), openBrowser()])
  }, 200_000)
  afterAll(async () => {
    await browser?.close()
    await rented?.api.delete(rented.path)
  })

  /** @param without features that this browser lacks */
  async function open(url: string, context: object = desktop, without: string[] = []): Promise<Page> {
    const page = await newPage(running().browser, context, complaints)
    await page.addInitScript({
      content: keepCloses + without.map((name) => `delete window.${name};`).join(''),
    })
    await page.goto(url)
    return page
  }
  const becomes = (page: Page, state: 'live' | 'over'): Promise<unknown> =>
    page.waitForSelector(`body[data-state="${state}"]`, { timeout: patience })
  const lookNow = () => look(running().phone)

  return {
    get phone() {
      return running().phone
    },
    complaints,
    open,
    becomes,
    look: lookNow,
    async newLink(body: object = {}): Promise<string> {
      const { phone } = running()
      const answer = await phone.api.post(`${phone.path}/live`, body)
      expect(answer.status).toBe(201)
      return linkSchema.parse(answer.body).url
    },
    async openLive(url: string, context: object = desktop, without: string[] = []): Promise<Page> {
      const page = await open(url, context, without)
      await becomes(page, 'live')
      return page
    },
    /** Returns where on the page the middle of an element of the phone is. */
    async placeOf(page: Page, what: { text?: string; desc?: string }) {
      const seen = await lookNow()
      const element = seen.elements.find(({ text, desc }) =>
        what.text === undefined ? desc === what.desc : text === what.text || desc === what.text,
      )
      if (!element) throw new Error(`no ${JSON.stringify(what)} on\n${seen.text}`)
      return pointOn(page, seen.screen, element.center)
    },
    shows: (text: string): Promise<void> =>
      eventually(`the phone shows ${text}`, patience, async () => (await lookNow()).text.includes(text)),
    opens: (app: string): Promise<void> =>
      eventually(
        `${app} opens`,
        patience,
        async () => (await lookNow()).app.package === `com.phonerack.${app}`,
      ),
  }
}
