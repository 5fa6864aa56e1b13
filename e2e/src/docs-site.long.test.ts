/** The built documentation at `/docs`, over HTTP and in Chromium. Needs the build. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { readPage, type Page as BuiltPage } from './guide/links.js'
import { openBrowser } from './system/browser.js'
import { root } from './system/system.js'
import { newTenant, type Tenant } from './system/tenant.js'

const system = inject('system')
const { base_url: base } = system.up
const wait = { timeout: 60_000 }

const names = readdirSync(path.join(root, 'site/dist/public'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.html') && name !== '404.html')
  .map((name) => `/docs/${name.slice(0, -'.html'.length)}`.replace(/\/index$/, '/'))
  .sort()

describe('the links of the documentation', () => {
  const pages = new Map<string, BuiltPage>()
  const places = new Set<string>()
  beforeAll(async () => {
    for (const name of names) {
      const answer = await fetch(`${base}${name}`)
      expect([name, answer.status, answer.redirected]).toEqual([name, 200, false])
      pages.set(name, readPage(await answer.text()))
    }
    const { paths } = z
      .object({
        paths: z.record(
          z.string(),
          z.record(z.string(), z.object({ operationId: z.string(), tags: z.array(z.string()) })),
        ),
      })
      .parse(await (await fetch(`${base}/openapi.json`)).json())
    for (const { operationId, tags } of Object.values(paths).flatMap((each) => Object.values(each)))
      places.add(`tag/${tags[0]}/${operationId}`)
  })

  it('lead to pages, headings and endpoints that exist', () => {
    const broken: string[] = []
    for (const [name, { targets }] of pages)
      for (const target of targets) {
        const url = new URL(target, `${base}${name}`)
        if (url.origin !== base) continue
        if (!url.pathname.startsWith('/docs')) broken.push(`${name}: ${target}`)
        const page = pages.get(url.pathname) ?? pages.get(`${url.pathname}/`)
        const place = decodeURIComponent(url.hash.slice(1))
        if (!page || place === '') continue
        const isThere = page.ids.has(place) || (url.pathname === '/docs/api' && places.has(place))
        if (!isThere) broken.push(`${name}: ${target}`)
      }
    expect(broken).toEqual([])
    expect(pages.size).toBeGreaterThan(40)
  })

  it('lead to files and pages that are served', async () => {
    const own = [...pages].flatMap(([name, { targets }]) =>
      targets.map((target) => new URL(target, `${base}${name}`)).filter(({ origin }) => origin === base),
    )
    const urls = [...new Set(own.map(({ pathname }) => pathname))]
    const statuses = await Promise.all(
      urls.map(async (url) => `${(await fetch(`${base}${url}`, { method: 'HEAD' })).status} ${url}`),
    )
    expect(statuses.filter((line) => !line.startsWith('200 '))).toEqual([])
  })

  it('to other servers are https addresses without a query', () => {
    const others = [...pages.values()].flatMap(({ targets }) =>
      targets.filter((target) => /^[a-z]+:/.test(target) && !target.startsWith(base)),
    )
    expect(others.length).toBeGreaterThan(0)
    for (const other of others)
      expect(other).toMatch(/^(?:https:\/\/[\w.-]+\.[a-z]+(?:\/[^?\s]*)?|mailto:\S+)$/)
  })
})

describe('in a browser', () => {
  let browser: Browser
  let context: BrowserContext
  let tenant: Tenant
  /** Requests to other servers, errors of the console, and scripts that failed. */
  let faults: string[]
  beforeAll(async () => {
    browser = await openBrowser()
    tenant = await newTenant(system)
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    expect(faults).toEqual([])
    await context.close()
  })

  async function open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    faults = []
    context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
    context.setDefaultTimeout(wait.timeout)
    const page = await context.newPage()
    page.on('request', (request) => {
      if (!new RegExp(`^(?:${base}/|data:|blob:)`).test(request.url())) faults.push(request.url())
    })
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(`${base}${url}`, { waitUntil: 'load' })
    await page.waitForFunction('document.querySelector("#app").__vue_app__ !== undefined')
    return page
  }

  it('every page fits the width of a phone, sends no request to another server and has no error', async () => {
    const page = await open('/docs', { viewport: { width: 375, height: 812 } })
    for (const name of names) {
      await page.goto(`${base}${name}`, { waitUntil: 'load' })
      await page.waitForFunction('document.fonts.ready.then(() => true)')
      const wider = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect([name, wider]).toEqual([name, 0])
    }
  })

  const chosen = async (page: Page): Promise<string[]> => {
    const labels = page.locator('.vp-code-group .tabs input:checked + label')
    return (await labels.allTextContents()).map((text) => text.trim())
  }

  it('the tab of a client is chosen in all groups, on the next page and after a reload', async () => {
    const page = await open('/docs/guide/first-tap')
    await page.locator('label', { hasText: 'Python' }).first().click()
    expect(new Set(await chosen(page))).toEqual(new Set(['Python']))
    expect(await page.locator('.vp-code-group .blocks .active').first().textContent()).toContain(
      'pip install',
    )
    await page.locator('.VPSidebar a', { hasText: 'Hand over to a person' }).click()
    await page.waitForURL('**/recipes/hand-over')
    await page.locator('h1', { hasText: 'Hand over' }).waitFor()
    await expect.poll(() => chosen(page), wait).toEqual(['Python', 'Python'])
    await page.reload()
    await expect.poll(() => chosen(page), wait).toEqual(['Python', 'Python'])
  })

  it('shows the address of its installation in examples', async () => {
    const page = await open('/docs/guide/first-tap')
    await expect.poll(() => page.locator('.vp-doc pre').first().textContent(), wait).toContain(base)
  })

  it('finds an error by its code, without another server', async () => {
    const page = await open('/docs/guide/first-tap')
    await page.locator('.DocSearch-Button').click()
    await page.locator('.VPLocalSearchBox input').fill('ambiguous_target')
    await page.locator('.VPLocalSearchBox .result', { hasText: 'ambiguous_target' }).first().click()
    await page.waitForURL('**/reference/errors#ambiguous_target')
    await page.locator('h3#ambiguous_target').waitFor()
  })

  it('is light or dark as the reader prefers, and keeps a choice', async () => {
    const page = await open('/docs', { colorScheme: 'dark' })
    const isDark = (): Promise<boolean> =>
      page.evaluate('document.documentElement.classList.contains("dark")')
    expect(await isDark()).toBe(true)
    await page.locator('.VPSwitchAppearance').first().click()
    expect(await isDark()).toBe(false)
    await page.reload()
    expect(await isDark()).toBe(false)
  })

  it('shows a page for a path that does not exist', async () => {
    const page = await open('/docs/guide/first-tap')
    const answer = await page.goto(`${base}/docs/no-such-page`)
    expect(answer?.status()).toBe(404)
    await page.locator('.NotFound').waitFor()
    faults = faults.filter((fault) => !fault.includes('404'))
  })

  it.each([
    ['account', 'getAccount', 'balance_usd'],
    ['account', 'createCheckout', 'billing_not_configured'],
  ])('tries %s/%s with a key, and keeps the key nowhere', async (tag, operation, expected) => {
    const page = await open('/docs/reference/endpoints')
    await page.locator(`a[href$="#tag/${tag}/${operation}"]`).click()
    const section = page.locator(`section[id$="/tag/${tag}/${operation}"]`)
    await section.getByRole('button', { name: /Test Request/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByPlaceholder('Token').fill(tenant.admin.key)
    const answered = page.waitForResponse((response) => response.url().includes('/docs/try/v1/'))
    await dialog.getByRole('button', { name: /^Send/ }).first().click()
    expect(await (await answered).text()).toContain(expected)
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
    expect(stored).not.toContain(tenant.admin.key)
    // A browser reports a request with an error status as an error.
    faults = faults.filter((fault) => !fault.includes('503'))
  })
})
