/**
 * The replay of a session: an export that plays in Chromium from the file system, and scripts that repeat the
 * session.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { closeApp, openApp, Phonerack, tap, type, type Phone, type Step } from '@phonerack/sdk'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './system/browser.js'
import { hasHttpx } from './system/clients/line-client.js'
import { root } from './system/system.js'
import { eventually, newKey, newTenant, readyPhone, type Tenant } from './system/tenant.js'

const run = promisify(execFile)
const system = inject('system')
let tenant: Tenant
let key: string
let client: Phonerack
let phone: Phone
let dir: string
let browser: Browser

beforeAll(async () => {
  tenant = await newTenant(system)
  key = await newKey(system, tenant.projectId, 'admin')
  client = new Phonerack({ baseUrl: system.up.base_url, apiKey: key })
  phone = client.phones.handle((await readyPhone(tenant.admin)).id)
  // The folder is inside the package, so that the script finds the SDK.
  await mkdir(path.join(root, 'e2e', 'dist'), { recursive: true })
  dir = await mkdtemp(path.join(root, 'e2e', 'dist', 'replay-'))
  browser = await openBrowser()
  await session()
})
afterAll(async () => {
  await browser.close()
  await rm(dir, { recursive: true, force: true })
})

const title = 'Milk, bread and tea'

/** Writes a note: by texts, by a ref, by a point, and with an action that fails. */
async function session(): Promise<void> {
  const { observation } = await phone.act([openApp('com.phonerack.notes')])
  const add =
    observation?.find({ desc: 'New note' }) ??
    (await phone.waitFor({ desc: 'New note' })).find({ desc: 'New note' })
  if (!add) throw new Error('there is no button for a note')
  // No text is typed yet, so a picture is kept.
  await phone.act([tap(add)], { observe: 'both' })
  await phone.act([type(title, { into: { text: 'Title' } })], { observe: 'both' })
  await expect(phone.tap({ text: 'There is no such button' })).rejects.toThrow()
  const screen = await phone.observe()
  expect(screen.text).toContain(title)
  await phone.back()
  await phone.act([{ type: 'home' }], { observe: 'both' })
}

/**
 * Opens the session's file in a browser without a network. Requests other than for the file fail the test.
 */
async function openReplay(
  file: string,
  options: { width?: number; height?: number; dark?: boolean } = {},
): Promise<Page> {
  const context = await browser.newContext({
    offline: true,
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) problems.push(request.url())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => problems.push(message.text()))
  page.on('dialog', (dialog) => {
    problems.push('a dialog opened')
    void dialog.dismiss()
  })
  await page.goto(pathToFileURL(file).href)
  expect(problems).toEqual([])
  page.on('close', () => expect(problems).toEqual([]))
  return page
}

const save = async (name: string, content: Uint8Array): Promise<string> => {
  const file = path.join(dir, name)
  await writeFile(file, content)
  return file
}

const text = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText()

describe('the replay', () => {
  it('an exported session plays in Chromium from the file system [43.34]', async () => {
    const steps = await phone.steps.list().toArray()
    const file = await save('replay.html', await phone.steps.export('html'))
    const page = await openReplay(file)
    expect(await text(page, 'h1')).toContain(steps[0]?.session)
    expect(await page.locator('#marks .mark').count()).toBeGreaterThan(steps.length)
    expect(await text(page, '#details')).toContain('open app')

    // Keys move to the tap on a ref, whose touch is drawn on the screen before it.
    await page.keyboard.press('Home')
    await page.keyboard.press('PageDown')
    expect(await text(page, '#clock')).toContain(`2 / ${steps.length}`)
    expect(await text(page, '#details')).toContain('tap [')
    expect(await text(page, '#details')).toContain('New note')
    expect(await page.locator('#screen .finger').count()).toBe(1)
    expect(await page.locator('#screen .ref').count()).toBeGreaterThan(0)
    const add = await page.locator('#screen .finger circle.halo').boundingBox()
    const frame = await page.locator('#screen').boundingBox()
    if (!add || !frame) throw new Error('nothing is drawn')
    const resolved = steps.at(-2)?.results[0]?.resolved?.center ?? [0, 0]
    const size = steps.at(-2)?.before?.screen ?? { width: 1, height: 1 }
    expect((add.x + add.width / 2 - frame.x) / frame.width).toBeCloseTo(resolved[0] / size.width, 1)
    expect((add.y + add.height / 2 - frame.y) / frame.height).toBeCloseTo(resolved[1] / size.height, 1)

    // Opens the text of the agent, and closes it again.
    await page.keyboard.press('t')
    expect(await text(page, '#text-panel')).toContain('app com.phonerack.notes')
    await page.keyboard.press('t')
    // Typed text is omitted.
    await page.keyboard.press('PageDown')
    expect(await text(page, '#details')).toContain('[redacted]')
    await page.keyboard.press('ArrowRight')
    expect(await text(page, '#caption')).toContain('After the step')
    const html = await readFile(file, 'utf8')
    expect(html).not.toContain(title)
    // The failed step shows its reason.
    await page.keyboard.press('PageDown')
    expect(await text(page, '#details')).toContain('target_not_found')
    // The player reaches its end automatically, and by the pointer.
    await page.locator('#position').fill('0')
    await page.keyboard.press('Escape')
    await page.locator('#play').click()
    await expect.poll(() => text(page, '#play'), { timeout: 60_000 }).toBe('Play')
    expect(await page.locator('#position').inputValue()).toBe(
      await page.locator('#position').getAttribute('max'),
    )
    await page.locator('#previous').click()
    expect(await page.locator('#position').inputValue()).not.toBe(
      await page.locator('#position').getAttribute('max'),
    )
    await page.context().close()
  })

  it.each([
    [375, 'light'],
    [375, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('fits a window of %d pixels in the %s scheme', async (width, scheme) => {
    const file = await save('fits.html', await phone.steps.export('html'))
    const page = await openReplay(file, { width, height: width < 500 ? 1150 : 900, dark: scheme === 'dark' })
    await page.keyboard.press('PageDown')
    const { scroll, inner } = await page.evaluate<{ scroll: number; inner: number }>(
      '({ scroll: document.documentElement.scrollWidth, inner: window.innerWidth })',
    )
    expect(scroll).toBeLessThanOrEqual(inner)
    expect((await page.locator('#screen').boundingBox())?.width).toBeGreaterThan(150)
    const folder = process.env['REPLAY_SCREENS']
    if (folder !== undefined)
      await page.screenshot({ path: path.join(folder, `replay-${width}-${scheme}.png`) })
    await page.context().close()
  })

  it('texts of phones and tenants stay text in the replay [43.35]', async () => {
    const hostile = [
      '</script><script>alert(1)</script><img src=x onerror=alert(2)>',
      '\u202eabc\u2066 def <!-- "quoted" \\u003c',
      'long '.repeat(1900),
    ]
    await tenant.operator.patch(`/operator/v1/projects/${tenant.projectId}`, { steps_text: true })
    await eventually('typed text to be kept', 100_000, async () => {
      await phone.act([{ type: 'wait', ms: 1 }])
      return (await phone.steps.list({ observations: 'none' }).page()).data[0]?.text_kept === true
    })
    for (const words of hostile) {
      await phone.act([closeApp('com.phonerack.notes'), openApp('com.phonerack.notes')])
      await phone.tap({ desc: 'New note' }, { timeout: 10_000 })
      await phone.act([type(words, { into: { text: 'Title' } })])
      await phone.act([{ type: 'back' }], { observe: 'ui' })
    }
    const page = await openReplay(await save('hostile.html', await phone.steps.export('html')))
    const last = Number(await page.locator('#position').getAttribute('max'))
    const seen: string[] = []
    for (let frame = 0; frame <= last; frame += 1) {
      seen.push(await text(page, '#details'), await text(page, '#screen'))
      await page.keyboard.press('ArrowRight')
    }
    const all = seen.join('\n')
    expect(all).toContain('</script><script>alert(1)</script>')
    expect(all).toContain('\u27e8U+202E\u27e9')
    expect(all).not.toContain('\u202e')
    expect(all).toContain('Show ')
    expect(await page.locator('#screen img[onerror], #details script, #details img').count()).toBe(0)
    await page.context().close()
    await tenant.operator.patch(`/operator/v1/projects/${tenant.projectId}`, { steps_text: false })
  })
})

describe('the data', () => {
  it('has one step in each line, with pictures', async () => {
    const lines = new TextDecoder()
      .decode(await phone.steps.export('jsonl'))
      .trim()
      .split('\n')
    const steps = lines.map((line) => JSON.parse(line) as Step & { picture: { data?: string } | null })
    const listed = await phone.steps.list({ observations: 'none' }).toArray()
    expect(steps.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toReversed())
    const pictured = steps.find(({ picture }) => picture !== null)
    expect(Buffer.from(pictured?.picture?.data ?? '', 'base64').subarray(0, 2)).toEqual(
      Buffer.from([0xff, 0xd8]),
    )
    const picture = await phone.steps.screenshot(pictured?.id ?? '')
    expect(Buffer.from(picture).toString('base64')).toBe(pictured?.picture?.data)
    // No step shows the typed text.
    expect(listed.filter((step) => step.picture !== null)).toHaveLength(1)
  })
})

describe('the script', () => {
  const environment = { PHONERACK_BASE_URL: system.up.base_url, TEXT_1: title }

  /** Another session, with one text that is not kept. */
  async function recorded(): Promise<Phone> {
    const other = client.phones.handle((await readyPhone(tenant.admin)).id)
    const { observation } = await other.act([openApp('com.phonerack.notes')])
    const add = observation?.find({ desc: 'New note' })
    if (!add) throw new Error('there is no button for a note')
    await other.act([tap(add)])
    const field = (await other.observe()).find({ text: 'Title' })
    if (!field) throw new Error('there is no field')
    await other.act([type(title, { into: field })])
    return other
  }
  const notesOn = async (id: string): Promise<string> => (await client.phones.handle(id).observe()).text

  it('the script of a session repeats it on a fresh phone [43.36]', async () => {
    await eventually('typed text to be left out', 100_000, async () => {
      await phone.act([{ type: 'wait', ms: 1 }])
      return (await phone.steps.list({ observations: 'none' }).page()).data[0]?.text_kept === false
    })
    const source = await recorded()
    const script = new TextDecoder().decode(await source.steps.export('ts'))
    expect(script).toContain('await phone.openApp("com.phonerack.notes")')
    expect(script).not.toContain(title)
    expect(script).not.toContain('snp_')
    const file = await save('replay.mjs', Buffer.from(script))
    const fresh = await readyPhone(tenant.admin)
    const env = { ...process.env, ...environment, PHONERACK_API_KEY: key }
    await run(process.execPath, [file, fresh.id], { env })
    expect(await notesOn(fresh.id)).toContain(title)
    // Without its text, the script does not begin.
    const without: NodeJS.ProcessEnv = { ...env, TEXT_1: undefined }
    await expect(run(process.execPath, [file, fresh.id], { env: without })).rejects.toThrow(
      /TEXT_1 is missing/,
    )

    const python = new TextDecoder().decode(await source.steps.export('python'))
    expect(python).toContain('phone.open_app("com.phonerack.notes")')
    if (await hasHttpx()) {
      const again = await readyPhone(tenant.admin)
      const program = await save('replay.py', Buffer.from(python))
      const packages = path.join(root, 'clients', 'python', 'src')
      await run('/usr/bin/python3', [program, again.id], { env: { ...env, PYTHONPATH: packages } })
      expect(await notesOn(again.id)).toContain(title)
      await client.phones.handle(again.id).delete()
    }
    await client.phones.handle(fresh.id).delete()
    await source.delete()
    // The steps stay.
    expect(new TextDecoder().decode(await source.steps.export('ts'))).toBe(script)
  })
})
