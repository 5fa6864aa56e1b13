/** Pages of the console in Chromium, as its bench measures them. */
import { type Browser, type Page } from 'playwright-core'

const patience = 120_000
type State = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>

/** Notes when the first phone is in the list, and the ends of tasks of more than 50 ms, in milliseconds from the navigation. */
const noteTimes = `
globalThis.longEnds = []
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) longEnds.push(startTime + duration)
}).observe({ type: 'longtask', buffered: true })
new MutationObserver(() => {
  if (document.querySelector('ul[aria-label="Phones"] li')) globalThis.listedAt ??= performance.now()
}).observe(document, { subtree: true, childList: true })`

export interface Opened {
  /** Until the list is shown and no long task follows within a second. */
  interactiveMs: number
  /** Transferred bytes of the scripts. */
  scriptBytes: number
  scripts: number
}

/** Opens the console with an empty cache, as a person who is signed in. */
export async function openEmpty(browser: Browser, url: string, storageState: State): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, storageState })
  try {
    const page = await context.newPage()
    await page.addInitScript(noteTimes)
    const network = await context.newCDPSession(page)
    await network.send('Network.enable')
    const scripts = new Set<string>()
    let scriptBytes = 0
    network.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId)
    })
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) scriptBytes += encodedDataLength
    })
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction('globalThis.listedAt !== undefined', undefined, { timeout: patience })
    // The palette is loaded a second after the page.
    const [bytes, count] = [scriptBytes, scripts.size]
    await page.waitForTimeout(1000)
    const interactiveMs = await page.evaluate<number>(
      'longEnds.filter((end) => end < listedAt + 1000).reduce((last, end) => Math.max(last, end), listedAt)',
    )
    return { interactiveMs, scriptBytes: bytes, scripts: count }
  } finally {
    await context.close()
  }
}

/** Opens a list of phones and loads all of them. @param isLazy whether rows outside of the view are skipped, as they are */
export async function openList(
  browser: Browser,
  { url, storageState, rows, isLazy }: { url: string; storageState: State; rows: number; isLazy: boolean },
): Promise<Page> {
  // The policy of the page refuses the style.
  const context = await browser.newContext({
    ...{ viewport: { width: 1280, height: 800 }, storageState, bypassCSP: true },
  })
  const page = await context.newPage()
  await page.goto(url)
  if (!isLazy)
    await page.addStyleTag({
      content: 'ul[aria-label="Phones"] li { content-visibility: visible !important }',
    })
  const shown = page.locator('ul[aria-label="Phones"] > li')
  await shown.first().waitFor({ timeout: patience })
  for (const until = performance.now() + patience; (await shown.count()) < rows;) {
    if (performance.now() > until) throw new Error(`only ${await shown.count()} of ${rows} phones are shown`)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.waitForTimeout(200)
  }
  return page
}

/** Scrolls from the top to the end, 120 pixels a frame. @returns the milliseconds of each frame */
export const scrollThrough = (page: Page): Promise<number[]> =>
  page.evaluate<number[]>(`new Promise((resolve) => {
    const frames = []
    let last = 0
    const next = (now) => {
      if (last > 0) frames.push(now - last)
      last = now
      if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) return resolve(frames)
      scrollBy(0, 120)
      requestAnimationFrame(next)
    }
    scrollTo(0, 0)
    requestAnimationFrame(() => requestAnimationFrame(next))
  })`)
