/** The live view's page in Chromium, as the bench of the live view measures it. */
import { type Browser, type Page } from 'playwright-core'

/** The position of the blocks that show the time, as fractions of the screen. */
export interface Place {
  left: number
  top: number
  right: number
  bottom: number
}

const patience = 60_000

/** Reports the time of the first picture, by the machine's clock. */
const noteFirstPicture = `new MutationObserver(() => {
  if (document.body?.dataset.state === 'live') globalThis.liveAt ??= performance.timeOrigin + performance.now()
}).observe(document, { subtree: true, childList: true, attributes: true })`

/** @returns the page, and milliseconds from the navigation to the first picture */
export async function openPage(browser: Browser, url: string): Promise<{ page: Page; ms: number }> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.addInitScript(noteFirstPicture)
  const began = performance.timeOrigin + performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForSelector('body[data-state="live"]', { timeout: patience })
  return { page, ms: (await page.evaluate<number>('globalThis.liveAt')) - began }
}

/** Milliseconds from the press to the first picture with a different centre. */
export function pressHome(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const canvas = document.querySelector('canvas')
    const context = canvas.getContext('2d')
    const middle = () => context.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data
    const before = middle()
    const timer = setTimeout(() => reject(new Error('no answer within 10 s')), 10000)
    const began = performance.now()
    context.drawImage = function (...args) {
      CanvasRenderingContext2D.prototype.drawImage.apply(this, args)
      const now = middle()
      if (Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]) + Math.abs(now[2] - before[2]) < 40) return
      delete context.drawImage
      clearTimeout(timer)
      resolve(performance.now() - began)
    }
    document.getElementById('home').click()
  })`)
}

export interface Seen {
  /**
   * Milliseconds from the phone's drawing until the pixels are read back in the page, for each new picture.
   */
  ages: number[]
  /** The number of pictures without a readable time. */
  unread: number
}

/** Reads the time from each picture over `seconds`; see `virtual-phone/src/ui/apps/time-blocks.ts`. */
export async function watchBlocks(page: Page, place: Place, seconds: number): Promise<Seen> {
  return page.evaluate<Seen>(`new Promise((resolve) => {
    const { left, top, right, bottom } = ${JSON.stringify(place)}
    const canvas = document.querySelector('canvas')
    const context = canvas.getContext('2d')
    const blocks = new OffscreenCanvas(6, 8).getContext('2d', { willReadFrequently: true })
    blocks.imageSmoothingEnabled = false
    const seen = { ages: [], unread: 0 }
    let last = -1
    context.drawImage = function (...args) {
      CanvasRenderingContext2D.prototype.drawImage.apply(this, args)
      const { width, height } = canvas
      const part = [left * width, top * height, (right - left) * width, (bottom - top) * height]
      blocks.drawImage(canvas, ...part, 0, 0, 6, 8)
      const pixels = blocks.getImageData(0, 0, 6, 8).data
      const now = Date.now()
      let value = 0
      for (let at = 0; at < 48; at++) value = value * 2 + (pixels[at * 4] > 127 ? 1 : 0)
      const time = Math.floor(value / 256)
      let sum = 0
      for (let rest = time; rest > 0; rest = Math.floor(rest / 256)) sum += rest % 256
      if (sum % 256 !== value % 256) seen.unread += 1
      else if (time !== last) seen.ages.push((now - time) % 2 ** 40)
      last = time
    }
    setTimeout(() => {
      delete context.drawImage
      resolve(seen)
    }, ${seconds * 1000})
  })`)
}
