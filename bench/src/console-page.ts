/** Pages in Chromium with an empty cache, as the bench of the console measures them. */
import { type Browser, type Page } from 'playwright-core'

const patience = 120_000
export type State = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>

/** A page, and the control that the bench clicks until it answers. */
export interface Clicked {
  name: string
  url: string
  storageState?: State
  /** Expressions of the page: the control or a falsy value, and whether the control has answered. */
  control: string
  hasAnswered: string
}

/** Clicks once per frame until the control answers. Requests that write are not sent. */
const clickUntilAnswered = ({ control, hasAnswered }: Clicked): string => `
globalThis.send = fetch
globalThis.fetch = (to, how) => how?.method === 'POST' ? new Promise(() => {}) : send(to, how)
const note = () => { if (${hasAnswered}) globalThis.answeredAt ??= performance.now() }
new MutationObserver(note).observe(document, { subtree: true, childList: true, attributes: true })
const next = () => {
  note()
  if (globalThis.answeredAt !== undefined) return
  const control = ${control}
  if (control) globalThis.shownAt ??= performance.now()
  control?.click()
  note()
  requestAnimationFrame(next)
}
requestAnimationFrame(next)`

export interface Opened {
  /** Milliseconds from the navigation until the control exists, and until it answers a click. */
  shownMs: number
  answeredMs: number
  /** The transferred bytes with their headers, until the control answered. */
  scriptBytes: number
  bytes: number
  /** The transferred bytes of scripts at the end, including parts that are loaded in advance. */
  laterScriptBytes: number
}

/** @param thenMs milliseconds for which the page stays open */
export async function openEmpty(browser: Browser, clicked: Clicked, thenMs: number): Promise<Opened> {
  const { url, storageState } = clicked
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...(storageState ? { storageState } : {}),
  })
  try {
    const page = await context.newPage()
    await page.addInitScript(clickUntilAnswered(clicked))
    const network = await context.newCDPSession(page)
    await network.send('Network.enable')
    const scripts = new Set<string>()
    const sum = { script: 0, all: 0 }
    network.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId)
    })
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      sum.all += encodedDataLength
      if (scripts.has(requestId)) sum.script += encodedDataLength
    })
    await page.goto(url, { waitUntil: 'commit' })
    const until = performance.now() + patience
    while (!(await page.evaluate<boolean>('globalThis.answeredAt !== undefined'))) {
      if (performance.now() > until) throw new Error(`${url}: nothing answered a click`)
      await page.waitForTimeout(20)
    }
    const { script: scriptBytes, all: bytes } = sum
    const [shownMs = 0, answeredMs = 0] = await page.evaluate<number[]>('[shownAt, answeredAt]')
    await page.waitForTimeout(thenMs)
    return { shownMs, answeredMs, scriptBytes, bytes, laterScriptBytes: sum.script }
  } finally {
    await context.close()
  }
}
