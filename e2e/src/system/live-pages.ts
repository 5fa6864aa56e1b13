/** Pages of the live view in a real Chromium, and the positions of the phone's points on them. */
import { type Browser, type Page } from 'playwright-core'

export const desktop = { viewport: { width: 1280, height: 800 } }
export const mobile = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** Another test file on the same system can use the first link, which ends all others (`becomeOperator`). */
const linkEnded = /\/console\/api\/invitations\/accept$/
/** Chromium reports this error when a page gives up a connection after 10 s, as it may on a busy machine. */
const gaveUp = /closed before the connection is established/

/** Milliseconds; a busy machine may need longer than the default of 30 s. */
const patienceMs = 100_000

/**
 * Opens an empty page. Its errors and violations of its content security policy are added to `complaints`.
 */
export async function newPage(browser: Browser, context: object, complaints: string[]): Promise<Page> {
  const opened = await browser.newContext(context)
  opened.setDefaultTimeout(patienceMs)
  const page = await opened.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const { url } = message.location()
    if (message.type() !== 'error' || gaveUp.test(message.text()) || linkEnded.test(url)) return
    complaints.push(`${message.text()} ${url}`)
  })
  return page
}

/** Returns where on the page a point of the phone's screen is, both in pixels. */
export async function pointOn(
  page: Page,
  screen: { width: number; height: number },
  [x, y]: readonly [number, number],
): Promise<{ x: number; y: number }> {
  const box = await page.locator('canvas').boundingBox()
  if (!box) throw new Error('no canvas')
  return { x: box.x + (x / screen.width) * box.width, y: box.y + (y / screen.height) * box.height }
}

/** A script of a page that records the codes with which its sockets are closed. */
export const keepCloses = `window.closes = []
window.WebSocket = class extends WebSocket {
  constructor(...all) {
    super(...all)
    this.addEventListener('close', ({ code }) => closes.push(code))
  }
}
`
export const closesOf = (page: Page): Promise<number[]> => page.evaluate<number[]>('closes')

/**
 * A script that counts the colours of the page's picture in 1,000 points. A black or empty picture has one
 * colour.
 */
export const coloursOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const canvas = document.querySelector('canvas')
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
    const step = 4 * Math.max(1, Math.floor(pixels.length / 4000))
    const seen = new Set()
    for (let at = 0; at < pixels.length; at += step) seen.add(pixels.slice(at, at + 3).join())
    return seen.size
  })()`)

/** A script whose result changes with the picture on the page. */
export const digestOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const small = document.createElement('canvas')
    small.width = 32
    small.height = 64
    const context = small.getContext('2d')
    context.drawImage(document.querySelector('canvas'), 0, 0, 32, 64)
    return context.getImageData(0, 0, 32, 64).data.join()
  })()`)
