/** Pages of the live view in a real Chromium, and where on them the phone's points are. */
import { type Browser, type Page } from 'playwright-core'

export const desktop = { viewport: { width: 1280, height: 800 } }
export const mobile = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** Chromium reports this when a page gives up a connection after 10 s, as it may on a busy machine. */
const gaveUp = /closed before the connection is established/

/** An empty page; its errors and violations of its content security policy go to `complaints`. */
export async function newPage(browser: Browser, context: object, complaints: string[]): Promise<Page> {
  const page = await (await browser.newContext(context)).newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !gaveUp.test(message.text())) complaints.push(message.text())
  })
  return page
}

/** Where on the page a point of the phone's screen is, in pixels of each. */
export async function pointOn(
  page: Page,
  screen: { width: number; height: number },
  [x, y]: readonly [number, number],
): Promise<{ x: number; y: number }> {
  const box = await page.locator('canvas').boundingBox()
  if (!box) throw new Error('no canvas')
  return { x: box.x + (x / screen.width) * box.width, y: box.y + (y / screen.height) * box.height }
}
