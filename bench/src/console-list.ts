/**
 * A long list in Chromium: its scrolling, its memory, and how often it is read. Used by the bench of the
 * console.
 */
import { type Browser, type Page } from 'playwright-core'
import { type State } from './console-page.js'

const patience = 120_000
const toEnd = 'scrollTo(0, document.documentElement.scrollHeight)'

/** @param last a text of the last line, which is loaded by scrolling */
export async function openList(
  browser: Browser,
  { url, last, storageState }: { url: string; last: string; storageState?: State },
): Promise<Page> {
  const viewport = { width: 1280, height: 800 }
  const context = await browser.newContext({ viewport, ...(storageState ? { storageState } : {}) })
  const page = await context.newPage()
  await page.goto(url)
  const end = page.getByText(last, { exact: true })
  for (const until = performance.now() + patience; !(await end.isVisible());) {
    if (performance.now() > until) throw new Error(`"${last}" is not shown`)
    await page.evaluate(toEnd)
    await page.waitForTimeout(100)
  }
  await page.waitForTimeout(1000)
  return page
}

/**
 * Scrolls from the top to the end, 120 pixels per frame.
 * @returns the milliseconds of each frame
 */
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
    setTimeout(() => requestAnimationFrame(next), 1000)
  })`)

/** The number of frames that were not drawn, at 60 frames a second. */
export const droppedOf = (frames: readonly number[]): number =>
  frames.reduce((sum, ms) => sum + Math.max(0, Math.round((ms * 60) / 1000) - 1), 0)

/** The number of nodes in the document, and the bytes of its heap after a collection. */
export async function sizeOf(page: Page): Promise<{ nodes: number; heap: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
  return { nodes, heap: metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN }
}

/** Counts reads of the list during `work`. */
export async function readsDuring(page: Page, work: () => Promise<void>): Promise<number> {
  let reads = 0
  const count = (request: { url(): string }): void => {
    if (/\/console\/api\/projects\/[^/]+\/phones\?/.test(request.url())) reads += 1
  }
  page.on('request', count)
  await work()
  page.off('request', count)
  return reads
}
