/** A real Chromium, for tests and benches of pages. */
import { aptInstall, canAptInstall, findProgram } from '@phonerack/launcher/programs'
import { chromium, type Browser } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Reads a path from the environment. */
const named = process.env['CHROMIUM_BIN']

const found = (): string | null =>
  named ?? names.map((name) => findProgram(name)).find((file) => file !== null) ?? null

/** @throws Error that names how to install Chromium */
async function findChromium(): Promise<string> {
  const there = found()
  if (there !== null) return there
  if (canAptInstall()) await aptInstall(['chromium'])
  const installed = found()
  if (installed !== null) return installed
  throw new Error('Chromium is missing: install it (sudo apt-get install chromium), or set CHROMIUM_BIN')
}

/** Starts a browser that connects only to the page. Its profile is empty and is deleted at the end. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
