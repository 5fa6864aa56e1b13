/** `./scripts/screens docs`: pictures of the documentation, light and dark, on a desk and on a phone. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '@phonerack/e2e/system/browser.js'
import { withParts, type Parts } from '@phonerack/e2e/system/parts.js'
import { root } from '@phonerack/e2e/system/system.js'

const folder = path.join(root, 'docs', 'screens', 'docs')
const sizes = { 1440: 900, 375: 812 }

interface Scene {
  name: string
  url: string
  /** Opens the state of the page that the picture shows. */
  prepare?: (page: Page) => Promise<void>
}
const scenes: readonly Scene[] = [
  { name: 'start', url: '/docs' },
  {
    name: 'first-tap',
    url: '/docs/guide/first-tap',
    async prepare(page) {
      await page.locator('label', { hasText: 'Python' }).first().click()
      await page.evaluate("document.getElementById('3-create-a-phone').scrollIntoView()")
    },
  },
  { name: 'errors', url: '/docs/reference/errors#ambiguous_target' },
  {
    name: 'api',
    url: '/docs/api#tag/screen/runActions',
    prepare: (page) => page.locator('section[id$="/tag/screen/runActions"]').first().waitFor(),
  },
  { name: 'operators', url: '/docs/operators/add-a-host' },
  {
    name: 'search',
    url: '/docs/guide/first-tap',
    async prepare(page) {
      await page.locator('.DocSearch-Button').click()
      await page.locator('.VPLocalSearchBox input').fill('hand over')
      await page.locator('.VPLocalSearchBox .result').first().waitFor()
    },
  },
]

async function draw(browser: Browser, baseUrl: string, colorScheme: 'light' | 'dark'): Promise<void> {
  for (const [width, height] of Object.entries(sizes)) {
    for (const { name, url, prepare } of scenes) {
      const context = await browser.newContext({ viewport: { width: Number(width), height }, colorScheme })
      const page = await context.newPage()
      await page.goto(`${baseUrl}${url}`, { waitUntil: 'networkidle' })
      await prepare?.(page)
      // Waits for transitions of colours and of the reference's own layout.
      await page.waitForTimeout(1500)
      const file = `${name}-${width}-${colorScheme}.png`
      await page.screenshot({ path: path.join(folder, file) })
      await context.close()
      process.stdout.write(`docs/screens/docs/${file}\n`)
    }
  }
}

async function main(parts: Parts): Promise<void> {
  await mkdir(folder, { recursive: true })
  const browser = await parts.start(openBrowser(), (each) => each.close())
  const system = await parts.startSystem({ virtualPhones: 1 })
  for (const colorScheme of ['light', 'dark'] as const) await draw(browser, system.up.base_url, colorScheme)
}

await withParts(main)
